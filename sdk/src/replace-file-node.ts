import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file, which only its owner can read, as a whole: a crash or a power failure leaves the old
 * text or the new one, and after the return only the new one.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  try {
    await closeAfter(await open(draft, 'wx', 0o600), async (file) => {
      await file.writeFile(text)
      await file.sync()
    })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  // The new name must be on the disk, too. Windows cannot open folders.
  if (process.platform !== 'win32')
    await closeAfter(await open(dirname(path)), (folder) => folder.sync())
}

async function closeAfter(
  file: FileHandle,
  work: (file: FileHandle) => Promise<void>,
): Promise<void> {
  try {
    await work(file)
  } finally {
    await file.close()
  }
}
