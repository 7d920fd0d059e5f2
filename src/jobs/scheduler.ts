import { setTimeout as pause } from 'node:timers/promises'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import { workspacesAfter } from '#db/retention/purge.ts'

const PAGE_SIZE = 20
/** Workspaces of which one statement tells whether there is something to do. */
const PENDING_PAGE_SIZE = 100

/** How a round finds the workspaces in which there may be something to do. */
interface RoundOptions {
  /** The workspaces after an id: those that exist, unless given. */
  pageAfter?: typeof workspacesAfter
  /** Of those with ids in a range, the ones with something to do, of which there are few at most times. */
  pendingIn?: (
    tx: ReadTx,
    range: { after: string; through: string },
  ) => Promise<ReadonlySet<string>>
}

/**
 * Creates the steps of a job that visits all workspaces, some at each step. `work` does one step as the
 * system in a workspace, and returns whether there is more to do there: then the round stays.
 */
export function forEachWorkspace(
  storage: Storage,
  work: (actor: Actor) => Promise<boolean>,
  { pageAfter = workspacesAfter, pendingIn }: RoundOptions = {},
): () => Promise<boolean> {
  const limit = pendingIn ? PENDING_PAGE_SIZE : PAGE_SIZE
  let after = ''
  return async () => {
    const { page, pending } = await storage.read(ANONYMOUS_ACTOR, async (tx) => {
      const page = await tx.all(pageAfter, { after, limit })
      const through = page.at(-1)?.id
      const pending = through === undefined ? undefined : await pendingIn?.(tx, { after, through })
      return { page, pending }
    })
    for (const { id } of page) {
      let hasMore = false
      try {
        const isPending = pending?.has(id) ?? true
        hasMore = isPending && (await work({ ...ANONYMOUS_ACTOR, workspace_id: id }))
      } finally {
        // A workspace in which the work fails is left to the next round, so that no other waits for it.
        if (!hasMore) after = id
      }
      if (hasMore) return true
    }
    if (page.length === limit) return true
    after = ''
    return false
  }
}

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
