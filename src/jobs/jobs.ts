import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { JobKind } from '#core/job.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import { endLeases, enqueueJob, openJobByKey } from '#db/jobs/jobs.ts'
import { pendingFileDeletions } from '#db/retention/pending-file-deletions.ts'
import { overdueTimerOfUser, overdueTimers } from '#db/retention/purge.ts'
import { emitTimersStopped, MAX_TIME_ENTRY_MS, stopTimers } from '#db/tasks/timers.ts'
import { abandonedWorkspaces } from '#db/workspaces/deleted-workspaces.ts'
import { addRequestCounts, type RequestCount } from '#db/workspaces/request-counts.ts'
import type { Files } from '#files/files.ts'
import { timestampOf } from '#lib/clock.ts'
import {
  createDueNotifications,
  gatherNotificationEmails,
  trimInboxes,
} from './notification-emails.ts'
import {
  abandonStalledImports,
  deletePendingFiles,
  emptyTrash,
  expireDeletedWorkspaces,
  purgeAbandonedWorkspaces,
  purgeDeletedWebhookLogs,
  purgeEndedJobs,
  purgeExpiredRows,
  purgeIdempotencyReplies,
  purgeOldAuditEntries,
  purgeOldDeliveries,
  purgeOldEvents,
  purgeOldOperations,
  purgeOldTombstones,
  purgeRequestCounts,
  sweepOrphanedFiles,
} from './purges.ts'
import { recountWorkspaces } from './recount-stored-bytes.ts'
import { redactErasedPeople } from './redact-erased-people.ts'
import { type ScheduledJob, startScheduler } from './scheduler.ts'

/** Events, and deletions for readers of changes (docs/spec/api.md#changes). */
const EVENT_RETENTION_DAYS = 30
const AUDIT_RETENTION_DAYS = 400

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** The dependencies of the periodic jobs. */
interface JobsDeps {
  storage: Storage
  files: Files
  /** Whether a mail server is configured; without one, due emails wait until they are purged. */
  hasMail: boolean
  /** Whether this may be a copy of another installation, which may use the same bucket. */
  isCopy(): Promise<boolean>
  authenticator: { flush(): Promise<void> }
  /** Stores the request counts that this process holds in memory. */
  writeRequestCounts(): Promise<boolean>
  log: Record<'info' | 'warn' | 'error', (about: object, message: string) => void>
  /** Periodic jobs of other modules. */
  otherJobs: readonly ScheduledJob[]
}

/** Starts the periodic jobs that concern this process, in any role. */
export const startProcessJobs = (deps: JobsDeps) =>
  startJobScheduler(deps, createProcessJobs(deps), () => {})

/**
 * The job whose process runs the periodic jobs of the installation, for as long as it has the lease:
 * one process at a time. Two may overlap for seconds after a failure of the database, and running a
 * periodic job twice is harmless.
 */
export const createPeriodicJob = (deps: JobsDeps): JobKind => ({
  name: 'periodic',
  maxRunning: 1,
  isEndless: true,
  maxAgeMs: Number.POSITIVE_INFINITY,
  retryDelayMs: () => 10 * SECOND_MS,
  async run({ signal, setProgress }) {
    const jobs = [...createInstallationJobs(deps), ...deps.otherJobs]
    const scheduler = startJobScheduler(deps, jobs, setProgress)
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await scheduler.stop()
    signal.throwIfAborted()
    return 'again'
  },
})

/** No lease ends later than this, even if the clocks of two machines differ. */
const MAX_LEASE_MS = 6 * MINUTE_MS

/**
 * Makes that job due, unless a process runs it. If the clock was set back since the job was released
 * or claimed, nothing periodic would run until it has caught up.
 */
export async function enqueuePeriodicJob(storage: Storage): Promise<void> {
  await storage.write(ANONYMOUS_ACTOR, async (tx) => {
    const job = { kind: 'periodic', key: 'leader' } as const
    const open = await tx.one(openJobByKey, job)
    if (open?.status !== 'running') await enqueueJob(tx, { ...job, payload: {} })
    else if (open.run_at > timestampOf(tx.nowMs + MAX_LEASE_MS))
      await tx.run(endLeases, { kind: job.kind, now: tx.now })
  })
}

function startJobScheduler(
  { log }: JobsDeps,
  jobs: readonly ScheduledJob[],
  onStart: (name: string) => void,
) {
  const reported = jobs.map((job) => ({
    ...job,
    run() {
      onStart(job.name)
      return job.run()
    },
  }))
  return startScheduler(reported, (job, err) => log.error({ job, err }, 'A periodic job failed'))
}

/** Jobs that store what this process holds in memory. */
function createProcessJobs({ authenticator, writeRequestCounts }: JobsDeps): ScheduledJob[] {
  const flush = async () => {
    await authenticator.flush()
    return false
  }
  return [
    ...every(30 * SECOND_MS, { 'last use of credentials': flush }),
    ...every(MINUTE_MS, { 'counts of requests': writeRequestCounts }),
  ]
}

/** Jobs that one process at a time runs for the installation. */
export function createInstallationJobs({
  storage,
  files,
  hasMail,
  isCopy,
}: Pick<JobsDeps, 'storage' | 'files' | 'hasMail' | 'isCopy'>): ScheduledJob[] {
  // What is to be deleted waits in the database until the copy is resumed. Nearly always there is nothing.
  const unlessCopy =
    (run: ScheduledJob['run'], pending?: (tx: ReadTx) => Promise<readonly unknown[]>) =>
    async () => {
      if (pending && (await storage.read(ANONYMOUS_ACTOR, pending)).length === 0) return false
      return !(await isCopy()) && run()
    }
  const deleteFiles = deletePendingFiles(storage, files)
  const purgeWorkspaces = purgeAbandonedWorkspaces(storage, files)
  return [
    ...(hasMail
      ? every(15 * SECOND_MS, { 'mails of notifications': gatherNotificationEmails(storage) })
      : []),
    ...every(30 * SECOND_MS, {
      'due tasks': createDueNotifications(storage),
      'erased persons': redactErasedPeople(storage),
      'deleted files': unlessCopy(deleteFiles, (tx) => tx.all(pendingFileDeletions, { limit: 1 })),
      'abandoned workspaces': unlessCopy(purgeWorkspaces, (tx) => tx.all(abandonedWorkspaces, {})),
    }),
    ...every(MINUTE_MS, {
      'long timers': stopLongTimers(storage),
      'logs of deleted webhooks': purgeDeletedWebhookLogs(storage),
      'killed imports': abandonStalledImports(storage),
    }),
    ...every(10 * MINUTE_MS, {
      'old counts': purgeRequestCounts(storage),
      'old replies': purgeIdempotencyReplies(storage),
      'old events': purgeOldEvents(storage, EVENT_RETENTION_DAYS),
      'old tombstones': purgeOldTombstones(storage, EVENT_RETENTION_DAYS),
      'old deliveries': purgeOldDeliveries(storage),
      'ended jobs': purgeEndedJobs(storage),
      'expired rows': purgeExpiredRows(storage),
      'deleted workspaces': expireDeletedWorkspaces(storage),
      'old operations': purgeOldOperations(storage),
      trash: emptyTrash(storage),
    }),
    ...every(60 * MINUTE_MS, {
      'files without a row': unlessCopy(sweepOrphanedFiles(storage, files)),
      'full inboxes': trimInboxes(storage),
      'old entries of the audit log': purgeOldAuditEntries(storage, AUDIT_RETENTION_DAYS),
      'stored bytes': recountWorkspaces(storage),
    }),
  ]
}

const every = (intervalMs: number, jobs: Record<string, ScheduledJob['run']>): ScheduledJob[] =>
  Object.entries(jobs).map(([name, run]) => ({ name, intervalMs, run }))

const MAX_TIMERS = 50

/** Stops the timers that have run for 24 hours, at 24 hours (docs/spec/api.md#time-entry). */
export const stopLongTimers = (storage: Storage) => async (): Promise<boolean> => {
  const started_before = timestampOf(storage.clock.now() - MAX_TIME_ENTRY_MS)
  const timers = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(overdueTimers, { started_before, limit: MAX_TIMERS }),
  )
  for (const { workspace_id, user_id } of timers) {
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
      // The person may have started another timer meanwhile.
      const isOverdue = await tx.one(overdueTimerOfUser, { user_id, started_before })
      if (isOverdue) await emitTimersStopped(tx, await stopTimers(tx, { user_id }))
    })
  }
  return timers.length === MAX_TIMERS
}

/** How many writes share a commit, if the engine supports it. */
const MAX_WRITES = 50

/** Takes the request counts that are not stored yet. */
interface RequestCountSource {
  drain(): Map<string, RequestCount[]>
}

/** Stores the request counts, with a small statement for each workspace. */
export const writeRequestCounts =
  (storage: Storage, usage: RequestCountSource) => async (): Promise<boolean> => {
    const pending = [...usage.drain()]
    for (let at = 0; at < pending.length; at += MAX_WRITES) {
      await Promise.all(
        pending
          .slice(at, at + MAX_WRITES)
          .map(([workspace_id, counts]) =>
            storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) =>
              tx.run(addRequestCounts, { counts }),
            ),
          ),
      )
    }
    return false
  }
