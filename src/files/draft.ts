import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { unavailable } from '#core/refusal.ts'

/** A file that is being received. */
export interface Draft {
  readonly path: string
  readonly size: number
  /** Adds bytes; resolves when the system has taken them. A 503 when the disk takes no more. */
  write(chunk: Uint8Array): Promise<void>
  /** Makes sure that all of it is on the disk. Gives the SHA-256 of it, in lower-case hex. */
  finish(): Promise<string>
  /** Ends it; takes it away unless it was put in place meanwhile. */
  discard(): Promise<void>
}

/** Begins a draft. Whether it was put in place or not, it ends with `discard`; `ended` hears of it. */
export async function openDraft(path: string, ended: () => void): Promise<Draft> {
  const handle = await told(open(path, 'wx', 0o600))
  const hash = createHash('sha256')
  let size = 0
  return {
    path,
    get size() {
      return size
    },
    async write(chunk) {
      await told(writeAll(handle, chunk))
      hash.update(chunk)
      size += chunk.length
    },
    async finish() {
      await told(handle.sync())
      await handle.close()
      return hash.digest('hex')
    },
    async discard() {
      await handle.close().catch(() => {})
      await rm(path, { force: true })
      ended()
    },
  }
}

/** The system may take a part only, as when the disk is nearly full. */
async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let from = 0; from < chunk.length; ) {
    from += (await handle.write(chunk, from)).bytesWritten
  }
}

/** What a disk refuses is no fault of the request's: it may be asked again. */
export async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw unavailable('The file cannot be kept now.', error)
  }
}
