import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '#lib/id.ts'
import { onDisk } from './disk.ts'
import { openDraft, told } from './draft.ts'
import type { Files } from './files.ts'
import { inBucket, type S3 } from './s3.ts'

/** Where an installation keeps its files. Drafts are on the disk in either case. */
export interface FilesPlace {
  dataDir: string
  /** A bucket instead of the data directory. */
  s3: S3 | undefined
}

/** Within `<dataDir>/files`, where no workspace is named so. */
const DRAFTS = 'drafts'
const CLOSE_MS = 2_000

/** Opens the files of an installation. Nothing is touched before it is needed. */
export function openFiles({ dataDir, s3 }: FilesPlace): Files {
  const directory = join(dataDir, 'files')
  const drafts = join(directory, DRAFTS)
  let open = 0
  return {
    ...(s3 ? inBucket(s3) : onDisk(directory)),
    async draft() {
      await told(mkdir(drafts, { recursive: true, mode: 0o700 }))
      const draft = await openDraft(join(drafts, newId('att')), () => {
        open -= 1
      })
      open += 1
      return draft
    },
    async sweepDrafts(before) {
      for (const name of await readdir(drafts).catch((): string[] => [])) {
        const path = join(drafts, name)
        const found = await stat(path).catch(() => undefined)
        if (found && found.mtimeMs < before) {
          // What is made of several files leaves a directory.
          await rm(path, { force: true, recursive: true })
        }
      }
    },
    async close() {
      const deadline = performance.now() + CLOSE_MS
      while (open > 0 && performance.now() < deadline) await pause(10)
    },
  }
}
