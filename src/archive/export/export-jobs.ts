import { rm, stat } from 'node:fs/promises'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { type JobContext, JobError, type JobKind, JobLeaseLost } from '#core/job.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { scheduleFileDeletion } from '#db/retention/pending-file-deletions.ts'
import { workspaceState } from '#db/workspaces/deleted-workspaces.ts'
import { type Files, fileKey } from '#files/files.ts'
import type { ScheduledJob } from '#jobs/scheduler.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import * as store from '#resources/exports/store.ts'
import { exportWorkspace } from './export-workspace.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** An archive can be downloaded for this long. */
const DOWNLOAD_TTL_MS = 24 * HOUR
/** The record of an expired or failed export is kept for this long. */
const RECORD_TTL_MS = 30 * 24 * HOUR
const PROGRESS_INTERVAL_MS = 5 * SECOND
const BATCH_SIZE = 20
const LOST =
  'The export failed, because the server stopped twice while it worked on it. Contact your operator.'
const FAILED = 'The export failed. Try again, or contact your operator.'
/** Downloadable archives of a workspace beyond this expire, and a larger one fails. */
const MAX_EXPORT_BYTES = 20 * 1024 ** 3
const DELETED = 'The workspace was deleted before the export finished.'

/** The export has ended, or its workspace is deleted: there is nothing to do. */
class ExportNotActive extends Error {}

interface ExportJobDeps {
  storage: Storage
  files: Files
  log: { error(about: object, message: string): void }
  /** The most bytes of all archives of a workspace that can be downloaded. */
  maxBytes?: number
}

/** The periodic jobs for exports. */
export const createExportJobs = (storage: Storage): ScheduledJob[] => [
  {
    name: 'old exports',
    intervalMs: MINUTE,
    async run() {
      await endExportsOfDeletedWorkspaces(storage)
      return purgeExports(storage)
    },
  },
]

/** The kind of job that makes an archive of a workspace. A large one leaves a slot for others. */
export const createExportJob = (deps: ExportJobDeps): JobKind => ({
  name: 'export',
  maxRunning: 2,
  maxAgeMs: HOUR,
  retryDelayMs: () => 10 * SECOND,
  async run(context) {
    try {
      await runExport(deps, context)
    } catch (error) {
      if (!(error instanceof ExportNotActive)) throw error
    }
    return 'done'
  },
  async onEnd(tx, { payload }, end) {
    const current = await findExport(tx, payload.export_id ?? '')
    if (current?.status !== 'running') return
    const errors = { done: DELETED, lost: LOST, failed: current.error ?? FAILED }
    const result = { status: 'failed', error: errors[end], progress: '', updated_at: tx.now }
    await tx.run(setFailed, { ...current, ...result })
  },
})

const setReady = store.setExport([
  'status',
  'file_id',
  'size_bytes',
  'sha256',
  'progress',
  'updated_at',
  'expires_at',
])
const setFailed = store.setExport(['status', 'error', 'progress', 'updated_at'])
const setError = store.setExport(['error'])
const setRowProgress = store.setExport(['progress'])
const setExpired = store.setExport(['status', 'file_id', 'updated_at'])

/** Makes an archive and stores it for download. */
async function runExport(
  { storage, files, log, maxBytes = MAX_EXPORT_BYTES }: ExportJobDeps,
  { job, write, signal, setProgress }: JobContext,
): Promise<void> {
  const { workspace_id } = job
  const { export_id: id = '' } = job.payload
  let progress = ''
  let isEnded = false
  /** Runs a transaction while the export is running, and records its progress. */
  const writeExport = <T>(work: (tx: WriteTx, current: StoredExport) => Promise<T>): Promise<T> =>
    write(async (tx) => {
      const current = await findExport(tx, id)
      isEnded = current?.status !== 'running'
      if (!current || isEnded) throw new ExportNotActive()
      if ((await tx.one(workspaceState, {}))?.deleted_at) throw new ExportNotActive()
      await tx.run(setRowProgress, { ...current, progress })
      return work(tx, current)
    })
  await writeExport(async () => {})
  const draft = await files.draft()
  const to = `${draft.path}.tar`
  const timer = setInterval(() => {
    writeExport(async () => {}).catch((err) => {
      if (err instanceof ExportNotActive) isEnded = true
      else log.error({ err, id }, 'Failed to record the progress of an export')
    })
  }, PROGRESS_INTERVAL_MS)
  const onProgress = (what: string) => {
    signal.throwIfAborted()
    if (isEnded) throw new ExportNotActive()
    progress = what
    setProgress(what)
  }
  try {
    const { sha256 } = await exportWorkspace(storage, files, { workspace_id, to, onProgress })
    const { size: size_bytes } = await stat(to)
    if (size_bytes > maxBytes) throw new JobError(tooLarge(size_bytes, maxBytes), PERMANENT)
    const file_id = newId('att', storage.clock.now())
    await files.put(fileKey(workspace_id, file_id), { path: to, size: size_bytes })
    await writeExport(async (tx, current) => {
      await expireSurplusArchives(tx, maxBytes - size_bytes)
      const expires_at = timestampOf(tx.nowMs + DOWNLOAD_TTL_MS)
      const result = { status: 'ready', file_id, size_bytes, sha256, progress: '', expires_at }
      tx.countFileBytes(size_bytes)
      await tx.run(setReady, { ...current, ...result, updated_at: tx.now })
    }).catch(async (error) => {
      // After any other error the commit may have succeeded; otherwise the sweep finds the file.
      if (isKnownToBeUnwritten(error)) await scheduleDeletion(storage, workspace_id, file_id)
      throw error
    })
  } catch (error) {
    const isExpected = error instanceof ExportNotActive || error instanceof JobLeaseLost
    if (isExpected || signal.aborted) throw error
    if (!(error instanceof JobError)) log.error({ err: error, id }, 'An export failed')
    const message = error instanceof JobError ? error.message : FAILED
    await writeExport((tx, current) => tx.run(setError, { ...current, error: message }))
    throw new JobError(message, PERMANENT)
  } finally {
    clearInterval(timer)
    await rm(to, { force: true })
    await draft.discard()
  }
}

const PERMANENT = { isPermanent: true }

const isKnownToBeUnwritten = (error: unknown) =>
  [ExportNotActive, JobLeaseLost, JobError].some((one) => error instanceof one)

const tooLarge = (size: number, max: number) =>
  `The archive has ${size} bytes, and this server keeps at most ${max} of a workspace. Ask your operator for it.`

/** Deletes a stored archive that is not offered: the export has ended meanwhile. */
const scheduleDeletion = (storage: Storage, workspace_id: string, file_id: string) =>
  storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) =>
    tx.run(scheduleFileDeletion, { id: file_id, doomed_at: tx.now }),
  )

/** Expires the oldest archives, so that the others have at most these bytes. */
async function expireSurplusArchives(tx: WriteTx, maxBytes: number): Promise<void> {
  let bytes = 0
  for (const archive of await tx.all(store.readyExports, {})) {
    bytes += archive.size_bytes
    if (bytes > maxBytes) await expire(tx, archive)
  }
}

/** Expires the archives of deleted workspaces. */
export async function endExportsOfDeletedWorkspaces(storage: Storage): Promise<void> {
  const jobs = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(store.exportsOfDeletedWorkspaces, { limit: BATCH_SIZE }),
  )
  for (const { workspace_id, id } of jobs) {
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
      // The workspace is read again under the lock because it may have been restored since.
      const { deleted_at } = (await tx.one(workspaceState, {})) ?? {}
      const current = deleted_at ? await tx.one(store.exportById, { id }) : undefined
      if (current?.status === 'ready') await expire(tx, current)
    })
  }
}

type StoredExport = NonNullable<Awaited<ReturnType<typeof findExport>>>
const findExport = (tx: WriteTx, id: string) => tx.one(store.exportById, { id })

/** Ends the downloads of an archive and marks its file for deletion. */
async function expire(tx: WriteTx, current: StoredExport): Promise<void> {
  if (current.file_id !== null) {
    await tx.run(scheduleFileDeletion, { id: current.file_id, doomed_at: tx.now })
    tx.countFileBytes(-current.size_bytes)
  }
  await tx.run(setExpired, { ...current, status: 'expired', file_id: null, updated_at: tx.now })
}

/** Expires archives after a day, and deletes their records later. */
export async function purgeExports(storage: Storage): Promise<boolean> {
  const before = (ms: number) => timestampOf(storage.clock.now() - ms)
  const expired = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(store.staleExports, {
      state: 'ready',
      before: before(DOWNLOAD_TTL_MS),
      limit: BATCH_SIZE,
    }),
  )
  for (const { workspace_id, id } of expired) {
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
      const current = await tx.one(store.exportById, { id })
      if (current?.status === 'ready') await expire(tx, current)
    })
  }
  for (const state of ['expired', 'failed'] as const) {
    const args = { state, before: before(RECORD_TTL_MS), limit: BATCH_SIZE }
    const old = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(store.staleExports, args))
    for (const { workspace_id, id } of old) {
      await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) =>
        tx.run(store.removeExport, { id }),
      )
    }
  }
  return expired.length === BATCH_SIZE
}
