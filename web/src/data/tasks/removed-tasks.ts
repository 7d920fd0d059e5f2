import type { Task } from '#resources/tasks/fields.ts'

export interface Removal {
  /** The version that the page had, or else the deleted one; undefined if neither is known. */
  version?: number
  /** Whether the task may have been moved to another project instead. */
  isMaybeMoved?: boolean
}

/** Longer than any request takes. */
const REMOVAL_TTL_MS = 10_000

interface RememberedRemoval {
  version: number
  until: number
  isMaybeMoved: boolean
}

/** The oldest removals are the first, unless a task was removed twice. */
const removals = new Map<string, RememberedRemoval>()

/**
 * Keeps a task that was removed from coming back by a reply that was already under way, also if that is the
 * first about this task. If it may have been moved, `admitMovedTask` says so; one that the page did not know
 * stays away until then, whatever its version.
 */
export function rememberRemoval(id: string, { version, isMaybeMoved = false }: Removal): void {
  for (const [old, { until }] of removals) {
    if (until >= Date.now()) break
    removals.delete(old)
  }
  const removed = version ?? (isMaybeMoved ? Number.POSITIVE_INFINITY : undefined)
  if (removed === undefined) return
  removals.set(id, { version: removed, until: Date.now() + REMOVAL_TTL_MS, isMaybeMoved })
}

export const forgetRemovals = (): void => removals.clear()

/** Lets a task in again that was removed because it had left its project. */
export function admitMovedTask(id: string): void {
  if (removals.get(id)?.isMaybeMoved) removals.delete(id)
}

/** Whether this version of a task was removed; a restored task has a newer version. */
export function isRemoved({ id, version }: Task): boolean {
  const removal = removals.get(id)
  if (!removal) return false
  if (version <= removal.version && Date.now() < removal.until) return true
  removals.delete(id)
  return false
}
