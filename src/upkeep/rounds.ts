import { setTimeout as pause } from 'node:timers/promises'

/** Work that comes round again and again, in steps so small that no request waits for one. */
export interface Chore {
  name: string
  /** From the end of one round to the beginning of the next. */
  everyMs: number
  /** Does a little; tells whether this round has more to do. */
  step(): Promise<boolean>
}

/** Between the steps of a round requests have the process to themselves. */
const BREATH_MS = 20

/**
 * Starts the rounds of chores. One that fails is reported and comes round again at its next time.
 * `stop` lets the steps that are under way come to their end.
 */
export function startRounds(
  chores: readonly Chore[],
  onError: (name: string, error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const under_way = chores.map(rounds)

  async function rounds({ name, everyMs, step }: Chore): Promise<void> {
    while (await rested(everyMs)) {
      try {
        while ((await step()) && (await rested(BREATH_MS)));
      } catch (error) {
        onError(name, error)
      }
    }
  }

  /** False when it is time to stop. */
  async function rested(ms: number): Promise<boolean> {
    try {
      await pause(ms, undefined, { signal, ref: false })
    } catch {}
    return !signal.aborted
  }

  return {
    async stop() {
      stopping.abort()
      await Promise.all(under_way)
    },
  }
}
