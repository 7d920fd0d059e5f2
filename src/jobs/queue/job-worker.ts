import { setTimeout as pause } from 'node:timers/promises'
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
  dueJobKinds,
  endJob,
  endLeases,
  jobById,
  nextDueJob,
  positionAfter,
  releaseJob,
  renewJob,
  retryJob,
} from '#db/jobs/jobs.ts'
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
interface JobRef {
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
async function runJob(deps: RunDeps, kind: JobKind, ref: JobRef): Promise<JobOutcome | undefined> {
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
const giveBackJob = (storage: Storage, ref: JobRef): Promise<number> =>
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
    if (outcome === 'done') {
      await end('done', null)
      return 'done'
    }
    await write((tx) =>
      tx.run(continueJob, { id, token, run_at: outcome === 'again' ? tx.now : outcome.againAt }),
    )
    return 'again'
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
    const wantedMs = error instanceof JobError ? error.retryAfterMs : 0
    const delayMs = Math.max(kind.retryDelayMs(job.attempts), wantedMs)
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

const wasLost = ({ status }: JobRef) => status === 'running'

const POLL_INTERVAL_MS = 1_000
/** After a failure of the database, for example on a full disk, which is then not asked each second. */
const RECOVERY_INTERVAL_MS = 10_000

/** A job that does not end within this time after an interruption is given back as it is. */
const STOP_TIMEOUT_MS = 5_000

/** What a worker needs. */
interface JobWorkerDeps {
  storage: Storage
  /** The kinds of jobs that this process runs. */
  kinds: readonly JobKind[]
  log: Record<'warn' | 'error', (about: object, message: string) => void>
  /** Receives how each attempt ended. */
  onAttempt?: (kind: JobKind, outcome: JobOutcome) => void
}

/** Runs background jobs. */
interface JobWorker {
  /** Runs the jobs that are due now, and waits for them. Returns how many there were. */
  runDueJobs(): Promise<number>
  /**
   * Runs jobs as they become due. `isAlone` says that no other process runs jobs on this database:
   * then the jobs of a process that was killed continue at once, not when their lease ends.
   */
  start(options: { isAlone: boolean; pollIntervalMs?: number; recoveryIntervalMs?: number }): void
  /** Claims no more jobs, interrupts the running ones, and waits for them briefly. */
  stop(timeoutMs?: number): Promise<void>
}

/** Creates a worker that claims due jobs and runs each with a lease that it renews. */
export function createJobWorker(deps: JobWorkerDeps): JobWorker {
  const { storage, kinds, log, onAttempt } = deps
  const stopping = new AbortController()
  const running = new Map<string, { kind: JobKind; ref: JobRef; ended: Promise<void> }>()
  /** Where the next turn of a kind begins: after the workspace that had the last one. */
  const turns = new Map<JobKind, string>()
  let woken = Promise.withResolvers<void>()
  let hasFailed = false
  let loop: Promise<void> | undefined

  const runningOf = (kind: JobKind) => [...running.values()].filter((one) => one.kind === kind)

  /** Starts due jobs; returns how many. When nothing is due, this is one statement for all kinds. */
  async function startDueJobs(): Promise<number> {
    const now = timestampOf(storage.clock.now())
    const rows = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(dueJobKinds, { now }))
    const due = kinds.filter(({ name }) => rows.some(({ kind }) => kind === name))
    const counts = await Promise.all(due.map(startDueJobsOf))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /**
   * Fills the free slots of a kind with due jobs, one of each workspace in turn. One workspace gets at
   * most half of the slots, so that another never waits for all of its jobs.
   */
  async function startDueJobsOf(kind: JobKind): Promise<number> {
    const begun = runningOf(kind).map(({ ref }) => ref.id)
    const free = kind.maxRunning - begun.length
    let from = turns.get(kind) ?? ''
    let started = 0
    let isRoundInVain = from === ''
    while (started < free && !stopping.signal.aborted) {
      const now = timestampOf(storage.clock.now())
      const position = { kind: kind.name, now, from, except: begun }
      const ref = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(nextDueJob, position))
      if (!ref) {
        if (isRoundInVain) break
        from = ''
        isRoundInVain = true
        continue
      }
      // It keeps its turn.
      if (mustWait(kind, ref)) break
      from = positionAfter(ref.workspace_id)
      if (hasItsShare(kind, ref)) continue
      startJob(kind, ref)
      begun.push(ref.id)
      started += 1
      isRoundInVain = false
    }
    turns.set(kind, from)
    return started
  }

  /** Jobs of no workspace, such as resets of passwords, are nobody's share. */
  function hasItsShare(kind: JobKind, { workspace_id }: JobRef): boolean {
    const own = runningOf(kind).filter(({ ref }) => ref.workspace_id === workspace_id)
    return workspace_id !== '' && own.length >= Math.max(1, Math.floor(kind.maxRunning / 2))
  }

  /**
   * A job whose process has ended is alone among its kind until it has gone on: if it ends this one
   * too, no other is taken to be the reason.
   */
  function mustWait(kind: JobKind, ref: JobRef): boolean {
    if (kind.isBounded) return false
    const others = runningOf(kind)
    return others.length > 0 && [ref, ...others.map((one) => one.ref)].some(wasLost)
  }

  function startJob(kind: JobKind, ref: JobRef): void {
    const work = async () => {
      const outcome = await runJob({ storage, log, signal: stopping.signal }, kind, ref)
      if (outcome) onAttempt?.(kind, outcome)
    }
    const ended = work()
      // Its lease ends, and then it is claimed again.
      .catch((err) => {
        hasFailed = true
        log.error({ err, job: ref.id, kind: kind.name }, 'A job could not be run')
      })
      .finally(() => {
        running.delete(ref.id)
        woken.resolve()
      })
    running.set(ref.id, { kind, ref, ended })
  }

  async function runUntilStopped(
    isAlone: boolean,
    pollIntervalMs: number,
    recoveryIntervalMs: number,
  ): Promise<void> {
    let hasEndedLeases = !isAlone
    while (!stopping.signal.aborted) {
      woken = Promise.withResolvers()
      try {
        if (!hasEndedLeases) await endAllLeases()
        hasEndedLeases = true
        await startDueJobs()
        await waitForWork(pollIntervalMs)
      } catch (err) {
        log.error({ err }, 'Due jobs cannot be read')
        hasFailed = true
      }
      if (!hasFailed) continue
      // A job that cannot be claimed is still due, so the next turn would fail at once.
      await pause(recoveryIntervalMs, undefined, { signal: stopping.signal, ref: false }).catch(
        () => {},
      )
      hasFailed = false
    }
  }

  const allEnded = () => Promise.all([...running.values()].map((one) => one.ended))

  /** Waits until a commit enqueues a job, a job or the process ends, and at most until the next turn. */
  async function waitForWork(ms: number): Promise<void> {
    const timer = setTimeout(woken.resolve, ms)
    timer.unref()
    await woken.promise
    clearTimeout(timer)
  }

  async function endAllLeases(): Promise<void> {
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      for (const { name } of kinds) await tx.run(endLeases, { kind: name, now: tx.now })
    })
  }

  return {
    async runDueJobs() {
      const started = await startDueJobs()
      await allEnded()
      return started
    },
    start({
      isAlone,
      pollIntervalMs = POLL_INTERVAL_MS,
      recoveryIntervalMs = RECOVERY_INTERVAL_MS,
    }) {
      storage.commitListeners.onDueJob = () => woken.resolve()
      loop ??= runUntilStopped(isAlone, pollIntervalMs, recoveryIntervalMs)
    },
    async stop(timeoutMs = STOP_TIMEOUT_MS) {
      stopping.abort()
      woken.resolve()
      await loop
      const timeout = pause(timeoutMs, undefined, { ref: false })
      await Promise.race([allEnded(), timeout])
      // Otherwise the end of this process would count as if the job had caused it.
      for (const { ref } of running.values()) {
        await giveBackJob(storage, ref).catch((err) => {
          log.warn({ err, job: ref.id }, 'A job could not be given back')
        })
      }
    },
  }
}
