import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { JobKind } from '#core/job.ts'
import type { Storage } from '#core/transaction.ts'
import { endLeases, enqueueJob, openJobByKey } from '#db/jobs/jobs.ts'
import type { Files } from '#files/files.ts'
import { timestampOf } from '#lib/clock.ts'
import {
  createDueNotifications,
  gatherNotificationEmails,
  purgeOldNotifications,
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
  purgeExpiredGrants,
  purgeExpiredInvitations,
  purgeExpiredSessions,
  purgeIdempotencyReplies,
  purgeOldAuditEntries,
  purgeOldDeliveries,
  purgeOldEvents,
  purgeOldTombstones,
  sweepOrphanedFiles,
} from './purges.ts'
import { redactErasedPeople } from './redact-erased-people.ts'
import { type ScheduledJob, startScheduler } from './scheduler.ts'
import { stopLongTimers } from './stop-long-timers.ts'
import { purgeRequestCounts } from './write-request-counts.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** The dependencies of the periodic jobs. */
export interface JobsDeps {
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
    { name: 'last use of credentials', intervalMs: 30 * SECOND_MS, run: flush },
    { name: 'counts of requests', intervalMs: MINUTE_MS, run: writeRequestCounts },
  ]
}

/** Jobs that one process at a time runs for the installation. */
export function createInstallationJobs({
  storage,
  files,
  hasMail,
  isCopy,
}: Pick<JobsDeps, 'storage' | 'files' | 'hasMail' | 'isCopy'>): ScheduledJob[] {
  const gatherEmails = {
    name: 'mails of notifications',
    intervalMs: 15 * SECOND_MS,
    run: gatherNotificationEmails(storage),
  }
  // What is to be deleted waits in the database until the copy is resumed.
  const unlessCopy = (run: ScheduledJob['run']) => async () => !(await isCopy()) && run()
  return [
    ...(hasMail ? [gatherEmails] : []),
    { name: 'old counts', intervalMs: 10 * MINUTE_MS, run: purgeRequestCounts(storage) },
    { name: 'long timers', intervalMs: 20 * SECOND_MS, run: stopLongTimers(storage) },
    { name: 'old replies', intervalMs: 10 * MINUTE_MS, run: purgeIdempotencyReplies(storage) },
    {
      name: 'old events',
      intervalMs: 10 * MINUTE_MS,
      run: purgeOldEvents(storage),
    },
    {
      name: 'old tombstones',
      intervalMs: 10 * MINUTE_MS,
      run: purgeOldTombstones(storage),
    },
    {
      name: 'files without a row',
      intervalMs: 60 * MINUTE_MS,
      run: unlessCopy(sweepOrphanedFiles(storage, files)),
    },
    {
      name: 'deleted files',
      intervalMs: 5 * SECOND_MS,
      run: unlessCopy(deletePendingFiles(storage, files)),
    },
    { name: 'old deliveries', intervalMs: 10 * MINUTE_MS, run: purgeOldDeliveries(storage) },
    {
      name: 'logs of deleted webhooks',
      intervalMs: MINUTE_MS,
      run: purgeDeletedWebhookLogs(storage),
    },
    { name: 'ended jobs', intervalMs: 10 * MINUTE_MS, run: purgeEndedJobs(storage) },
    { name: 'due tasks', intervalMs: 30 * SECOND_MS, run: createDueNotifications(storage) },
    { name: 'old notifications', intervalMs: 10 * MINUTE_MS, run: purgeOldNotifications(storage) },
    { name: 'full inboxes', intervalMs: 60 * MINUTE_MS, run: trimInboxes(storage) },
    { name: 'old invitations', intervalMs: 60 * MINUTE_MS, run: purgeExpiredInvitations(storage) },
    { name: 'ended sessions', intervalMs: 10 * MINUTE_MS, run: purgeExpiredSessions(storage) },
    { name: 'ended grants', intervalMs: 10 * MINUTE_MS, run: purgeExpiredGrants(storage) },
    { name: 'killed imports', intervalMs: MINUTE_MS, run: abandonStalledImports(storage) },
    {
      name: 'deleted workspaces',
      intervalMs: 10 * MINUTE_MS,
      run: expireDeletedWorkspaces(storage),
    },
    { name: 'erased persons', intervalMs: 5 * SECOND_MS, run: redactErasedPeople(storage) },
    {
      name: 'abandoned workspaces',
      intervalMs: 5 * SECOND_MS,
      run: unlessCopy(purgeAbandonedWorkspaces(storage, files)),
    },
    {
      name: 'old entries of the audit log',
      intervalMs: 60 * MINUTE_MS,
      run: purgeOldAuditEntries(storage),
    },
    {
      name: 'trash',
      intervalMs: 10 * MINUTE_MS,
      run: emptyTrash(storage),
    },
  ]
}
