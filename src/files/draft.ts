import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { serviceUnavailable } from '#core/api-error.ts'

/** A file that is being received. */
export interface FileDraft {
  readonly path: string
  readonly size: number
  /** Appends bytes; resolves when the system has accepted them. Fails with 503 on a full disk. */
  write(chunk: Uint8Array): Promise<void>
  /** Syncs the file to the disk. Returns its SHA-256 in lower-case hex. */
  finish(): Promise<string>
  /** Closes the draft; deletes it unless it was stored meanwhile. */
  discard(): Promise<void>
}

/** Opens a draft. It ends with `discard`, whether it was stored or not, which calls `onEnd`. */
export async function openDraft(path: string, onEnd: () => void): Promise<FileDraft> {
  const handle = await rethrowUnavailable(open(path, 'wx', 0o600))
  const hash = createHash('sha256')
  let size = 0
  return {
    path,
    get size() {
      return size
    },
    async write(chunk) {
      await rethrowUnavailable(writeAll(handle, chunk))
      hash.update(chunk)
      size += chunk.length
    },
    async finish() {
      await rethrowUnavailable(handle.sync())
      await handle.close()
      return hash.digest('hex')
    },
    async discard() {
      await handle.close().catch(() => {})
      await rm(path, { force: true })
      onEnd()
    },
  }
}

/** A write may be partial, for example when the disk is nearly full. */
async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let from = 0; from < chunk.length; ) {
    from += (await handle.write(chunk, from)).bytesWritten
  }
}

/** A disk error is not the fault of the request: it fails with 503, so that it may be retried. */
export async function rethrowUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw serviceUnavailable('The file cannot be kept now.', error)
  }
}
