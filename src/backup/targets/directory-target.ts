import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory } from '#db/installation/make-directory.ts'
import { isMissingFile } from '#files/disk.ts'
import { CHECK_FILENAME } from '../backup-manifest.ts'
import { createHashedFile, fsyncDirectory } from '../hashed-files.ts'
import { writeBackup } from '../write-backup.ts'
import {
  assertSound,
  type BackupTarget,
  checkStoredBackup,
  readStoredBackup,
  type StoredBackup,
  sortByAge,
} from './backup-target.ts'

/** Between the name of a backup and the rest: it is being made or removed. */
const DRAFT_MARK = '.part-'

/** Keeps backups in a directory. Each gets its name last, and loses it first. */
export function createDirectoryTarget(directory: string): BackupTarget {
  const pathOf = (name: string) => join(directory, name)

  return {
    description: directory,
    async list() {
      const backups: StoredBackup[] = []
      for (const name of await listNames(directory)) {
        if (name.includes(DRAFT_MARK)) continue
        const backup = await readStoredBackup(name, (path) => readText(join(pathOf(name), path)))
        if (backup) backups.push(backup)
      }
      return sortByAge(backups)
    },
    async store(name, content, onProgress) {
      makeDirectory(directory, 0o700)
      const draft = await mkdtemp(`${pathOf(name)}${DRAFT_MARK}`)
      try {
        const manifest = await writeBackup(draft, content, onProgress)
        onProgress('checking')
        const check = await checkStoredBackup(draft)
        assertSound(check)
        await writeText(draft, CHECK_FILENAME, JSON.stringify(check))
        await rename(draft, pathOf(name))
        await fsyncDirectory(directory)
        return { name, manifest, check }
      } catch (error) {
        await rm(draft, { recursive: true, force: true })
        throw error
      }
    },
    async remove(name) {
      const removed = `${pathOf(name)}${DRAFT_MARK}removed`
      await rename(pathOf(name), removed)
      await rm(removed, { recursive: true, force: true })
    },
    async clearLeftovers(isOwn) {
      for (const name of await listNames(directory)) {
        const [backup = '', ...draft] = name.split(DRAFT_MARK)
        if (draft.length === 0 || !isOwn(backup)) continue
        await rm(pathOf(name), { recursive: true, force: true })
      }
    },
    fetch: async (name) => ({ path: pathOf(name), release: async () => {} }),
  }
}

async function listNames(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (isMissingFile(error)) return []
    throw error
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissingFile(error)) return undefined
    throw error
  }
}

/** Writes a small file that gets its name once it is on the disk. */
async function writeText(directory: string, name: string, text: string): Promise<void> {
  const draft = join(directory, `${name}.new`)
  const file = await createHashedFile(draft)
  await file.write(Buffer.from(`${text}\n`))
  await file.end()
  await rename(draft, join(directory, name))
  await fsyncDirectory(directory)
}
