import { setTimeout as pause } from 'node:timers/promises'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { JobKind } from '#core/job.ts'
import type { TraceRecorder } from '#core/trace-recorder.ts'
import type { Storage } from '#core/transaction.ts'
import { dueJobs, endLeases } from '#db/jobs/job-statements.ts'
import { timestampOf } from '#lib/clock.ts'
import type { JobOutcome } from './job-metrics.ts'
import { giveBackJob, type JobRef, runJob } from './run-job.ts'

const wasLost = ({ status }: JobRef) => status === 'running'

const POLL_INTERVAL_MS = 1_000
/** After a failure of the database, for example on a full disk, which is then not asked each second. */
const RECOVERY_INTERVAL_MS = 10_000

/** A job that does not end within this time after an interruption is given back as it is. */
const STOP_TIMEOUT_MS = 5_000

/** What a worker needs. */
export interface JobWorkerDeps {
  storage: Storage
  /** The kinds of jobs that this process runs. */
  kinds: readonly JobKind[]
  log: Record<'warn' | 'error', (about: object, message: string) => void>
  traces: TraceRecorder
  /** Receives how each attempt ended. */
  onAttempt?: (kind: JobKind, outcome: JobOutcome) => void
}

/** Runs background jobs. */
export interface JobWorker {
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
  const { storage, kinds, log, traces, onAttempt } = deps
  const stopping = new AbortController()
  const running = new Map<string, { kind: JobKind; ref: JobRef; ended: Promise<void> }>()
  let jobEnded = Promise.withResolvers<void>()
  let hasFailed = false
  let loop: Promise<void> | undefined

  const runningOf = (kind: JobKind) => [...running.values()].filter((one) => one.kind === kind)

  /** Starts the due jobs of all kinds that have free slots; returns how many. */
  async function startDueJobs(): Promise<number> {
    const now = timestampOf(storage.clock.now())
    const due = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      Promise.all(
        kinds.map((kind) => {
          const limit = kind.maxRunning - runningOf(kind).length
          return limit > 0 ? tx.all(dueJobs, { kind: kind.name, now, limit }) : []
        }),
      ),
    )
    let started = 0
    for (const [at, kind] of kinds.entries()) {
      for (const ref of due[at] ?? []) {
        if (stopping.signal.aborted || running.has(ref.id)) continue
        if (mustWait(kind, ref)) break
        startJob(kind, ref)
        started += 1
      }
    }
    return started
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
    const ended = (
      kind.isEndless ? work() : traces.runInNewTrace({ name: `job: ${kind.name}` }, work)
    )
      // Its lease ends, and then it is claimed again.
      .catch((err) => {
        hasFailed = true
        log.error({ err, job: ref.id, kind: kind.name }, 'A job could not be run')
      })
      .finally(() => {
        running.delete(ref.id)
        jobEnded.resolve()
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
      jobEnded = Promise.withResolvers()
      try {
        if (!hasEndedLeases) await endAllLeases()
        hasEndedLeases = true
        await startDueJobs()
        await waitForJob(pollIntervalMs)
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

  /** Waits until a job or the process ends, and at most until the next turn. */
  async function waitForJob(ms: number): Promise<void> {
    const timer = setTimeout(jobEnded.resolve, ms)
    timer.unref()
    await jobEnded.promise
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
      loop ??= runUntilStopped(isAlone, pollIntervalMs, recoveryIntervalMs)
    },
    async stop(timeoutMs = STOP_TIMEOUT_MS) {
      stopping.abort()
      jobEnded.resolve()
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
