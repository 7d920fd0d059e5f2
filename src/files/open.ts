import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '#lib/id.ts'
import { createDiskStore, openDraft, rethrowUnavailable } from './disk.ts'
import type { Files } from './files.ts'
import { createS3Store } from './s3.ts'
import type { S3Settings } from './s3-settings.ts'

/** Where an installation stores its files. Drafts are on the disk in either case. */
interface FilesSettings {
  dataDir: string
  /** A bucket instead of the data directory. */
  s3: S3Settings | undefined
}

/** In `<dataDir>/files`; no workspace id has this name. */
const DRAFTS_DIRECTORY = 'drafts'
const CLOSE_TIMEOUT_MS = 2_000

/** Opens the file storage. It touches neither disk nor bucket before the first use. */
export function openFiles({ dataDir, s3 }: FilesSettings): Files {
  const directory = join(dataDir, 'files')
  const drafts = join(directory, DRAFTS_DIRECTORY)
  let openDrafts = 0
  return {
    ...(s3 ? createS3Store(s3) : createDiskStore(directory)),
    async draft() {
      await rethrowUnavailable(mkdir(drafts, { recursive: true, mode: 0o700 }))
      const draft = await openDraft(join(drafts, newId('att')), () => {
        openDrafts -= 1
      })
      openDrafts += 1
      return draft
    },
    async sweepDrafts(before) {
      for (const name of await readdir(drafts).catch((): string[] => [])) {
        const path = join(drafts, name)
        const stats = await stat(path).catch(() => undefined)
        if (stats && stats.mtimeMs < before) {
          // A draft may be a directory, if it consists of several files.
          await rm(path, { force: true, recursive: true })
        }
      }
    },
    async close() {
      const deadline = performance.now() + CLOSE_TIMEOUT_MS
      while (openDrafts > 0 && performance.now() < deadline) await pause(10)
    },
  }
}
