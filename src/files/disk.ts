import { mkdir, open, opendir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { unavailable } from '#core/refusal.ts'
import { told } from './draft.ts'
import { type Blobs, KEY, keyOf } from './files.ts'

/**
 * Files in a directory: one for each workspace, in it one for each attachment. A draft must lie in
 * the same file system, so that its place is taken in one step.
 */
export function onDisk(directory: string): Blobs {
  return {
    put: (key, { path }) => told(putInPlace(path, join(directory, key))),
    async read(key, size, { start, end }) {
      const handle = await open(join(directory, key), 'r').catch(lost)
      const { size: is } = await handle.stat()
      if (is === size) return handle.createReadStream({ start, end })
      await handle.close()
      return lost(missing(`${key} has ${is} bytes, not ${size}`))
    },
    remove: (key) => rm(join(directory, key), { force: true }),
    async clear(workspace_id) {
      const place = join(directory, workspace_id)
      for (const key of await keysIn(workspace_id)) await rm(join(directory, key), { force: true })
      // What is not ours stays, and its directory with it.
      await rmdir(place).catch((error: unknown) => {
        if (!isMissing(error) && !isCode(error, 'ENOTEMPTY')) throw error
      })
    },
    async *list() {
      for (const workspace of await namesIn(directory)) {
        for (const key of await keysIn(workspace)) {
          const found = await stat(join(directory, key)).catch(() => undefined)
          if (found) yield { key, at: found.mtimeMs }
        }
      }
    },
  }

  async function keysIn(workspace: string): Promise<string[]> {
    const names = await namesIn(join(directory, workspace))
    return names.map((id) => keyOf(workspace, id)).filter((key) => KEY.test(key))
  }
}

/** A rename is on the disk when the directory is flushed, and so is the directory itself. */
async function putInPlace(from: string, to: string): Promise<void> {
  const workspace = dirname(to)
  const made = await mkdir(workspace, { recursive: true, mode: 0o700 })
  await rename(from, to)
  await flush(workspace)
  if (made !== undefined) await flush(dirname(workspace))
}

async function flush(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function namesIn(directory: string): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const { name } of await opendir(directory)) names.push(name)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  return names
}

export const isMissing = (error: unknown): boolean =>
  isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** An error that says so: what is there is not what was put there. */
export const missing = (message: string): Error =>
  Object.assign(new Error(message), { code: 'ENOENT' })

/** Its row is there, so it should be too: a disk that fails, or a backup without its files. */
export function lost(error: unknown): never {
  throw unavailable('The file cannot be read now.', error)
}
