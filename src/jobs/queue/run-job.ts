import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import {
  type ClaimedJob,
  type JobContext,
  JobError,
  type JobKind,
  JobLeaseLost,
  type JobPayload,
} from '#core/job.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import {
  claimJob,
  continueJob,
  endJob,
  jobById,
  releaseJob,
  renewJob,
  retryJob,
} from '#db/jobs/job-statements.ts'
import { timestampOf } from '#lib/clock.ts'
import type { JobOutcome } from './job-metrics.ts'

/** Another process claims a job whose lease was not renewed for this long. */
const LEASE_TTL_MS = 30_000
const RENEW_INTERVAL_MS = 10_000
const MAX_ERROR_LENGTH = 500
const UNEXPECTED_ERROR = 'An unexpected error. The log has it.'
/**
 * A job whose process has ended this often in a row is probably what ended it. One that is bounded has
 * only run beside such a job, which fails first.
 */
const MAX_DEATHS = 2
const MAX_DEATHS_OF_BOUNDED = 5
const describeDeaths = (deaths: number) =>
  `The process that worked on it ended, or lost it, ${deaths} times in a row.`

/** A job as it was read before it was claimed. */
export interface JobRef {
  workspace_id: string
  id: string
  token: number
  /** `running` if the process that had claimed it before is gone. */
  status: string
}

interface RunDeps {
  storage: Storage
  log: Record<'warn' | 'error', (about: object, message: string) => void>
  /** Aborted when the process stops. */
  signal: AbortSignal
}

/** A claimed job with what its writes check. */
interface ClaimedRun extends ClaimedJob {
  token: number
  createdMs: number
}

/**
 * Claims a job and runs it, or ends it if its work has ended processes. Returns how the attempt
 * ended; undefined if another process has claimed the job.
 */
export async function runJob(
  deps: RunDeps,
  kind: JobKind,
  ref: JobRef,
): Promise<JobOutcome | undefined> {
  const job = await claim(deps.storage, kind, ref)
  if (job !== 'failed') return job && runClaimedJob(deps, kind, job)
  deps.log.error({ job: ref.id, kind: kind.name }, 'A job failed: its processes have ended')
  return job
}

const actorOf = ({ workspace_id }: { workspace_id: string }) => ({
  ...ANONYMOUS_ACTOR,
  workspace_id,
  role: 'owner' as const,
})

function claim(
  storage: Storage,
  kind: JobKind,
  ref: JobRef,
): Promise<ClaimedRun | 'failed' | undefined> {
  return storage.write(actorOf(ref), async (tx) => {
    const { workspace_id, id, token } = ref
    const until = leaseEnd(tx)
    if ((await tx.run(claimJob, { id, token, now: tx.now, until })) === 0) return undefined
    const row = await tx.one(jobById, { id })
    if (!row) return undefined
    const job = {
      workspace_id,
      id,
      token: row.token,
      attempts: row.attempts,
      payload: JSON.parse(row.payload) as JobPayload,
      secret: row.secret === null ? undefined : tx.decrypt(row.secret),
      createdMs: Date.parse(row.created_at),
    }
    if (!isGivenUp(kind, row.deaths)) return job
    await kind.onEnd?.(tx, job, 'lost')
    const error = describeDeaths(row.deaths)
    await tx.run(endJob, { id, token: row.token, status: 'failed', error, now: tx.now })
    return 'failed'
  })
}

/**
 * Whether a job that was just claimed is ended instead of run. Otherwise one whose work kills the
 * process would be claimed after each start, for ever. A process that stops gives its jobs back, so
 * neither a deployment nor a long time without a server counts.
 */
const isGivenUp = ({ isEndless, isBounded }: JobKind, deaths: number): boolean =>
  !isEndless && deaths >= (isBounded ? MAX_DEATHS_OF_BOUNDED : MAX_DEATHS)

/** Gives a job back that a process which stops has claimed and not finished. */
export const giveBackJob = (storage: Storage, ref: JobRef): Promise<number> =>
  storage.write(actorOf(ref), (tx) =>
    tx.run(releaseJob, { id: ref.id, token: ref.token + 1, now: tx.now }),
  )

const leaseEnd = ({ nowMs }: WriteTx) => timestampOf(nowMs + LEASE_TTL_MS)

async function runClaimedJob(
  { storage, log, signal: stopping }: RunDeps,
  kind: JobKind,
  job: ClaimedRun,
): Promise<JobOutcome> {
  const { id, token } = job
  const lost = new AbortController()
  let progress = ''
  const write: JobContext['write'] = (work, actor = actorOf(job)) =>
    storage.write(actor, async (tx) => {
      // First of all, so that on PostgreSQL nobody can claim the job until the commit.
      if ((await tx.run(renewJob, { id, token, until: leaseEnd(tx), progress })) === 0) {
        lost.abort()
        throw new JobLeaseLost()
      }
      return work(tx)
    })
  const renewTimer = setInterval(() => {
    write(async () => {}).catch((err) => {
      if (!(err instanceof JobLeaseLost)) log.warn({ err, job: id }, 'Failed to renew a lease')
    })
  }, RENEW_INTERVAL_MS)
  renewTimer.unref()
  const signal = AbortSignal.any([stopping, lost.signal])
  const setProgress = (text: string) => {
    progress = text
  }
  const end = (status: 'done' | 'failed', error: string | null) =>
    write(async (tx) => {
      await kind.onEnd?.(tx, job, status)
      await tx.run(endJob, { id, token, status, error, now: tx.now })
    })
  try {
    const outcome = await kind.run({ job, signal, setProgress, write })
    if (outcome === 'done') await end('done', null)
    else await write((tx) => tx.run(continueJob, { id, token, now: tx.now }))
    return outcome
  } catch (error) {
    if (error instanceof JobLeaseLost || lost.signal.aborted) return 'interrupted'
    if (stopping.aborted) {
      await write((tx) => tx.run(releaseJob, { id, token, now: tx.now }))
      return 'interrupted'
    }
    return await recordFailure(error)
  } finally {
    clearInterval(renewTimer)
  }

  async function recordFailure(error: unknown): Promise<JobOutcome> {
    const delayMs = kind.retryDelayMs(job.attempts)
    const retryAt = storage.clock.now() + delayMs
    const isPermanent = error instanceof JobError && error.isPermanent
    const again = !isPermanent && retryAt < job.createdMs + kind.maxAgeMs
    const about = { job: id, kind: kind.name, attempts: job.attempts, again }
    if (error instanceof JobError) log.warn({ ...about, ...error.details }, 'A job failed')
    else log.error({ ...about, err: error }, 'A job failed')
    const reason = (error instanceof JobError ? error.message : UNEXPECTED_ERROR).slice(
      0,
      MAX_ERROR_LENGTH,
    )
    if (!again) {
      await end('failed', reason)
      return 'failed'
    }
    const run_at = timestampOf(retryAt)
    await write((tx) => tx.run(retryJob, { id, token, run_at, error: reason }))
    return 'retried'
  }
}
