import type { ReadTx } from '#core/transaction.ts'
import { blockedTasks, blockerTasks } from '../statements/links.ts'

/** How many tasks a search for cycles visits before it gives up (docs/spec/api.md#types-and-codes). */
export const MAX_DEPENDENCY_SEARCH = 5_000

/** With at most 500 links each, one statement reads at most 25,000 links. */
const TASKS_PER_STATEMENT = 50

/** Which of some tasks wait for another one, or that the search visited too many tasks to know. */
export type DependencySearch = { waitingIds: ReadonlySet<string> } | 'too_many'

/**
 * Finds which of these blockers wait for a task, directly or through other (also deleted) tasks.
 * One search serves all blockers. It goes from both ends, always from the end with fewer tasks to
 * visit next, because usually one end is small: a new blocker seldom waits for anything itself.
 */
export async function findWaitingBlockers(
  tx: ReadTx,
  id: string,
  blocker_ids: readonly string[],
): Promise<DependencySearch> {
  const blocked = createSearch([id], (ids) => tx.all(blockedTasks, { ids }))
  const blockers = createSearch(blocker_ids, (ids) => tx.all(blockerTasks, { ids }))
  const isTooLarge = () => blocked.visited.size + blockers.visited.size > MAX_DEPENDENCY_SEARCH
  let haveMet = false
  while (!haveMet && blocked.remaining() > 0 && blockers.remaining() > 0) {
    const [near, far] =
      blocked.remaining() <= blockers.remaining() ? [blocked, blockers] : [blockers, blocked]
    haveMet = (await near.visitNext()).some((found) => far.visited.has(found))
    if (isTooLarge()) return 'too_many'
  }
  if (!haveMet) return { waitingIds: new Set() }
  // There is a cycle. Everything that waits for the task shows through which blockers.
  while (blocked.remaining() > 0) {
    await blocked.visitNext()
    if (isTooLarge()) return 'too_many'
  }
  return { waitingIds: blocked.visited }
}

/** A breadth-first search from some tasks, in steps of one statement. */
function createSearch(
  start: readonly string[],
  neighborsOf: (ids: readonly string[]) => Promise<{ id: string }[]>,
) {
  const visited = new Set(start)
  const queue = [...start]
  let position = 0
  return {
    visited: visited as ReadonlySet<string>,
    /** How many tasks were found and not yet visited. */
    remaining: () => queue.length - position,
    /** Visits some tasks; returns the tasks that it found for the first time. */
    async visitNext(): Promise<readonly string[]> {
      const ids = queue.slice(position, position + TASKS_PER_STATEMENT)
      position += ids.length
      const found: string[] = []
      for (const { id } of await neighborsOf(ids)) {
        if (visited.has(id)) continue
        visited.add(id)
        found.push(id)
      }
      queue.push(...found)
      return found
    },
  }
}
