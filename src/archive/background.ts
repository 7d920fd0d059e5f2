import { rm, stat } from 'node:fs/promises'
import { NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { type Files, keyOf } from '#files/files.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import * as store from '#resources/exports/store.ts'
import { workspaceState } from '#storage/deleted-workspaces.ts'
import { doomFile } from '#storage/files.ts'
import type { Chore } from '#upkeep/rounds.ts'
import { exportWorkspace } from './export.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** So long an archive can be downloaded, and so long is told that there was one. */
const READY_MS = 24 * HOUR
const KNOWN_MS = 30 * 24 * HOUR
/** After so long without a word another process begins anew. */
const SILENT_MS = 20 * SECOND
const AGAIN_MS = 5 * SECOND
const AT_ONCE = 20
const FAILED = 'The archive could not be made. Try again, or ask whoever runs this installation.'
const DELETED = 'The workspace was deleted before the archive was made.'

/** It is another process that makes it now, or its workspace is deleted. */
class Lost extends Error {}

interface Means {
  storage: Storage
  files: Files
  log: { error(about: object, message: string): void }
}

interface Job {
  workspace_id: string
  id: string
}

/** What is done for archives in the background: one at a time in this process. */
export function exporting(means: Means): Chore[] {
  const runner = newId('opr', means.storage.clock.now())
  let underWay: Promise<void> | undefined
  return [
    {
      name: 'exports',
      everyMs: SECOND,
      async step() {
        const jobs = underWay ? [] : await jobsOf(means.storage)
        if (jobs.length === 0) return false
        // Not waited for: a process that stops does not go on for minutes. Another begins anew.
        underWay = makeArchives(means, runner, jobs)
          .catch((err) => means.log.error({ err }, 'Archives are left to another try'))
          .finally(() => {
            underWay = undefined
          })
        return false
      },
    },
    {
      name: 'old exports',
      everyMs: MINUTE,
      async step() {
        await endOfDeleted(means.storage)
        return forgetExports(means.storage)
      },
    },
  ]
}

/** The archives that wait, the oldest first. */
export const jobsOf = (storage: Storage): Promise<Job[]> =>
  storage.read(NOBODY, (tx) =>
    tx.all(store.exportsBefore, { state: 'running', before: tx.now, limit: AT_ONCE }),
  )

async function makeArchives(means: Means, runner: string, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) await makeArchive(means, runner, job)
}

const setReady = store.setExport([
  ...([
    'status',
    'file_id',
    'size_bytes',
    'sha256',
    'progress',
    'updated_at',
    'expires_at',
  ] as const),
])
const setFailed = store.setExport(['status', 'error', 'progress', 'updated_at'])
const setExpired = store.setExport(['status', 'file_id', 'updated_at'])

/** Makes an archive, if no other process does, and puts it where it can be downloaded. */
export async function makeArchive(
  { storage, files, log }: Means,
  runner: string,
  { workspace_id, id }: Job,
): Promise<void> {
  const actor = { ...NOBODY, workspace_id }
  let progress = ''
  let isLost = false
  const claim = async (tx: WriteTx) => {
    const runner_until = timestampOf(tx.instant + SILENT_MS)
    return tx.run(store.claimExport, { id, runner, runner_until, progress, now: tx.now })
  }
  if ((await storage.write(actor, claim)) === 0) return
  const timer = setInterval(() => {
    storage.write(actor, claim).then(
      (claimed) => {
        isLost = claimed === 0
      },
      (err) => log.error({ err, id }, 'An archive is silent'),
    )
  }, AGAIN_MS)
  const draft = await files.draft()
  const to = `${draft.path}.tar`
  try {
    const told = (what: string) => {
      if (isLost) throw new Lost()
      progress = what
    }
    const { sha256 } = await exportWorkspace(storage, files, { workspace_id, to, told })
    const { size: size_bytes } = await stat(to)
    const file_id = newId('att', storage.clock.now())
    await files.put(keyOf(workspace_id, file_id), { path: to, size: size_bytes })
    await storage.write(actor, async (tx) => {
      const now = (await claim(tx)) > 0 ? await tx.one(store.exportById, { id }) : undefined
      if (!now) return tx.run(doomFile, { id: file_id, doomed_at: tx.now })
      const expires_at = timestampOf(tx.instant + READY_MS)
      const made = { status: 'ready', file_id, size_bytes, sha256, progress: '', expires_at }
      return tx.run(setReady, { ...now, ...made, updated_at: tx.now })
    })
  } catch (err) {
    if (err instanceof Lost) return
    log.error({ err, id }, 'An archive could not be made')
    await storage.write(actor, async (tx) => {
      const now = (await claim(tx)) > 0 ? await tx.one(store.exportById, { id }) : undefined
      const made = { status: 'failed', error: FAILED, progress: '', updated_at: tx.now }
      if (now) await tx.run(setFailed, { ...now, ...made })
    })
  } finally {
    clearInterval(timer)
    await rm(to, { force: true })
    await draft.discard()
  }
}

/** Ends the archives of workspaces that were deleted: nobody makes them or has them any more. */
export async function endOfDeleted(storage: Storage): Promise<void> {
  const jobs = await storage.read(NOBODY, (tx) =>
    tx.all(store.exportsOfDeleted, { limit: AT_ONCE }),
  )
  for (const { workspace_id, id } of jobs) {
    await storage.write({ ...NOBODY, workspace_id }, async (tx) => {
      // Looked at again under the lock: it may have been restored since.
      const { deleted_at } = (await tx.one(workspaceState, {})) ?? {}
      const now = deleted_at ? await tx.one(store.exportById, { id }) : undefined
      if (now?.status === 'ready') await expire(tx, now)
      if (now?.status === 'running') {
        const made = { status: 'failed', error: DELETED, progress: '', updated_at: tx.now }
        await tx.run(setFailed, { ...now, ...made })
      }
    })
  }
}

type Found = NonNullable<Awaited<ReturnType<typeof findExport>>>
const findExport = (tx: WriteTx, id: string) => tx.one(store.exportById, { id })

/** Nobody can download it any more, and its file is to be taken away. */
async function expire(tx: WriteTx, now: Found): Promise<void> {
  if (now.file_id !== null) await tx.run(doomFile, { id: now.file_id, doomed_at: tx.now })
  await tx.run(setExpired, { ...now, status: 'expired', file_id: null, updated_at: tx.now })
}

/** Takes away archives after their day, and later what is known of them. */
export async function forgetExports(storage: Storage): Promise<boolean> {
  const before = (ms: number) => timestampOf(storage.clock.now() - ms)
  const over = await storage.read(NOBODY, (tx) =>
    tx.all(store.exportsBefore, { state: 'ready', before: before(READY_MS), limit: AT_ONCE }),
  )
  for (const { workspace_id, id } of over) {
    await storage.write({ ...NOBODY, workspace_id }, async (tx) => {
      const now = await tx.one(store.exportById, { id })
      if (now?.status === 'ready') await expire(tx, now)
    })
  }
  for (const state of ['expired', 'failed'] as const) {
    const wanted = { state, before: before(KNOWN_MS), limit: AT_ONCE }
    const old = await storage.read(NOBODY, (tx) => tx.all(store.exportsBefore, wanted))
    for (const { workspace_id, id } of old) {
      await storage.write({ ...NOBODY, workspace_id }, (tx) => tx.run(store.removeExport, { id }))
    }
  }
  return over.length === AT_ONCE
}
