import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, opendir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { serviceUnavailable } from '#core/api-error.ts'
import { FILE_KEY, type FileStore, fileKey } from './files.ts'

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

/**
 * Stores files in a directory for each workspace, one file for each attachment. A draft must be on
 * the same file system, so that it can be renamed atomically.
 */
export function createDiskStore(directory: string): FileStore {
  return {
    put: (key, { path }) => rethrowUnavailable(moveIntoPlace(path, join(directory, key))),
    async read(key, size, { start, end }) {
      const handle = await open(join(directory, key), 'r').catch(throwUnreadable)
      const { size: actualSize } = await handle.stat()
      if (actualSize === size) return handle.createReadStream({ start, end })
      await handle.close()
      return throwUnreadable(missingFileError(`${key} has ${actualSize} bytes, not ${size}`))
    },
    remove: (key) => rm(join(directory, key), { force: true }),
    async clear(workspace_id) {
      const workspaceDirectory = join(directory, workspace_id)
      for (const key of await listKeys(workspace_id))
        await rm(join(directory, key), { force: true })
      // A file that is not ours stays, and its directory with it.
      await rmdir(workspaceDirectory).catch((error: unknown) => {
        if (!isMissingFile(error) && !hasCode(error, 'ENOTEMPTY')) throw error
      })
    },
    async *list() {
      for (const workspace of await listNames(directory)) {
        for (const key of await listKeys(workspace)) {
          const stats = await stat(join(directory, key)).catch(() => undefined)
          if (stats) yield { key, at: stats.mtimeMs }
        }
      }
    },
  }

  async function listKeys(workspace: string): Promise<string[]> {
    const names = await listNames(join(directory, workspace))
    return names.map((id) => fileKey(workspace, id)).filter((key) => FILE_KEY.test(key))
  }
}

/** A rename, or a new directory, is on the disk only when its parent directory is synced. */
async function moveIntoPlace(from: string, to: string): Promise<void> {
  const workspace = dirname(to)
  const created = await mkdir(workspace, { recursive: true, mode: 0o700 })
  await rename(from, to)
  await syncDirectory(workspace)
  if (created !== undefined) await syncDirectory(dirname(workspace))
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function listNames(directory: string): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const { name } of await opendir(directory)) names.push(name)
  } catch (error) {
    if (!isMissingFile(error)) throw error
  }
  return names
}

export const isMissingFile = (error: unknown): boolean =>
  hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** An error for a file that is missing, or not the one that was stored. */
export const missingFileError = (message: string): Error =>
  Object.assign(new Error(message), { code: 'ENOENT' })

/** The row exists, so the file should too: the disk fails, or a backup lacks its files. */
export function throwUnreadable(error: unknown): never {
  throw serviceUnavailable('The file cannot be read now.', error)
}
