// @ts-check
import { open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Replaces a file so that a crash or a power cut leaves either the old or the new one: the text is on
 * the disk before it gets its name, and the name before this returns.
 *
 * @param {string} path
 * @param {string} text
 */
export async function replaceFile(path, text) {
  // Of the process alone: two programs that write one file must not mix their texts.
  const temporary = `${path}.${process.pid}.tmp`
  try {
    await writeToDisk(temporary, text)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  // Windows cannot open folders.
  if (process.platform === 'win32') return
  const folder = await open(dirname(path))
  await folder.sync().finally(() => folder.close())
}

/**
 * Removes what programs that were killed have left beside a file.
 *
 * @param {string} path
 */
export async function removeTemporaryFiles(path) {
  const folder = dirname(path)
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(basename(path)) && /\.(\d+)\.tmp$/.exec(name)?.[1]
    if (pid && !isRunning(Number(pid))) await rm(join(folder, name), { force: true })
  }
}

/**
 * @param {string} path
 * @param {string} text
 */
async function writeToDisk(path, text) {
  // Nobody else may read what only the owner of the key may.
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: it belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
