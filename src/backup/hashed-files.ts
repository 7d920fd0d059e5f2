import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The length of a file and its SHA-256. */
export interface FileDigest {
  size: number
  /** In lower-case hex. */
  sha256: string
}

const CHUNK_BYTES = 256 * 1024

/** Reads a file to its end and passes each chunk to `onChunk`. */
export async function hashFile(
  path: string,
  onChunk: (bytes: Uint8Array) => unknown = () => {},
): Promise<FileDigest> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const bytes = chunk as Buffer
    hash.update(bytes)
    size += bytes.length
    await onChunk(bytes)
  }
  return { size, sha256: hash.digest('hex') }
}

/** Creates a file that only its owner can read, and hashes what is written. */
export async function createHashedFile(path: string) {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let size = 0
  return {
    async write(bytes: Uint8Array): Promise<void> {
      hash.update(bytes)
      size += bytes.length
      for (let from = 0; from < bytes.length; ) {
        from += (await file.write(bytes, from)).bytesWritten
      }
    },
    /** Syncs the file to disk and closes it. */
    async end(): Promise<FileDigest> {
      await file.sync()
      await file.close()
      return { size, sha256: hash.digest('hex') }
    },
    /** Closes the file after a failure. */
    abandon: () => file.close().catch(() => {}),
  }
}

/** Copies a file and syncs the copy to disk. */
export async function copyHashedFile(from: string, to: string): Promise<FileDigest> {
  const copy = await createHashedFile(to)
  try {
    await hashFile(from, copy.write)
    return await copy.end()
  } catch (error) {
    await copy.abandon()
    throw error
  }
}

/** Errors of a link to another disk, on a file system without links, and of one link too many. */
const NO_LINK_CODES: readonly unknown[] = ['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK']

/** Gives a file a second name on the same disk, or copies it where that is not possible; reads it. */
export async function linkHashedFile(from: string, to: string): Promise<FileDigest> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  try {
    await link(from, to)
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_LINK_CODES.includes(error.code)) {
      return copyHashedFile(from, to)
    }
    throw error
  }
  return hashFile(to)
}

/** Syncs a directory and all directories below, so that the names of new files survive a crash. */
export async function fsyncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await fsyncTree(join(directory, entry.name))
  }
  await fsyncDirectory(directory)
}

/** Syncs one directory. */
export async function fsyncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  await handle.sync().finally(() => handle.close())
}
