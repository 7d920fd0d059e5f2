import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What was read of a file: its length, and its SHA-256 in lower-case hex. */
export interface Hashed {
  size: number
  sha256: string
}

const CHUNK = 256 * 1024

/** Reads a file to its end; `each` gets its bytes. */
export async function readHashed(
  path: string,
  each: (bytes: Uint8Array) => unknown = () => {},
): Promise<Hashed> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
    const bytes = chunk as Buffer
    hash.update(bytes)
    size += bytes.length
    await each(bytes)
  }
  return { size, sha256: hash.digest('hex') }
}

/** A new file that is being written, for its owner alone to read. */
export async function openHashed(path: string) {
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
    /** It is on the disk when this returns. */
    async end(): Promise<Hashed> {
      await file.sync()
      await file.close()
      return { size, sha256: hash.digest('hex') }
    },
    /** Ends it after a failure. */
    abandon: () => file.close().catch(() => {}),
  }
}

/** Copies a file so that it is on the disk. */
export async function copyHashed(from: string, to: string): Promise<Hashed> {
  const copy = await openHashed(to)
  try {
    await readHashed(from, copy.write)
    return await copy.end()
  } catch (error) {
    await copy.abandon()
    throw error
  }
}

/** Makes sure that the names of all files under a directory are on the disk. */
export async function flushTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await flushTree(join(directory, entry.name))
  }
  await flushNames(directory)
}

/** The same of one directory. */
export async function flushNames(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  await handle.sync().finally(() => handle.close())
}
