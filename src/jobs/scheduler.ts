import { setTimeout as pause } from 'node:timers/promises'

/** A recurring job that runs in steps so small that no request has to wait for one. */
export interface ScheduledJob {
  name: string
  /** From the end of one round to the start of the next. */
  intervalMs: number
  /** Runs one step; returns whether this round has more to do. */
  run(): Promise<boolean>
}

/** The pause between two steps of a round, in which requests are served. */
const STEP_PAUSE_MS = 20

/**
 * Runs jobs at their intervals. A job that fails is reported and runs again after its interval.
 * `stop` waits for the steps that are running.
 */
export function startScheduler(
  jobs: readonly ScheduledJob[],
  onError: (name: string, error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = jobs.map(runRounds)

  async function runRounds({ name, intervalMs, run }: ScheduledJob): Promise<void> {
    while (await waitFor(intervalMs)) {
      try {
        while ((await run()) && (await waitFor(STEP_PAUSE_MS)));
      } catch (error) {
        onError(name, error)
      }
    }
  }

  /** Waits; returns false when the scheduler is stopping. */
  async function waitFor(ms: number): Promise<boolean> {
    try {
      await pause(ms, undefined, { signal, ref: false })
    } catch {}
    return !signal.aborted
  }

  return {
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
