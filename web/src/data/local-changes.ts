import type { Change, Task } from './task-view.ts'

/**
 * A task that was changed on this page: lists that were made before `at` do not know of it, and place it by
 * what the task is now.
 */
export interface LocalChange {
  /** Before the first change that the server had not acknowledged; undefined: it was made here. */
  was: Task | undefined
  id: string
  number: number
  project_id: string
  /** When it was changed, acknowledged or taken back last: ms since 1970. */
  at: number
  /** The task beside which it was put by hand. */
  anchor: { id: string; after: boolean } | undefined
}

const all = new Map<string, LocalChange>()

/** Those since a moment; a change that waits counts always. */
export const changedSince = (at: number, waits: (id: string) => boolean): LocalChange[] =>
  [...all.values()].filter((one) => one.at >= at || waits(one.id))

/** A change begins, on top of those that wait already; without one, a task was made or restored. */
export function noteLocal(task: Task, waiting: readonly Change[] = [], change?: Change): void {
  const { id, number, project_id } = task
  const before = waiting.length > 0 ? all.get(id) : undefined
  const was = before ? before.was : change ? task : undefined
  const anchor = change ? (anchorOf(change) ?? before?.anchor) : undefined
  all.set(id, { id, number, project_id, was, anchor, at: Date.now() })
}

/** A change of a task was acknowledged or taken back. */
export function touchLocal(id: string): void {
  const known = all.get(id)
  if (known) all.set(id, { ...known, at: Date.now() })
}

function anchorOf({ patch }: Change): LocalChange['anchor'] {
  if (patch.before_id) return { id: patch.before_id, after: false }
  return patch.after_id ? { id: patch.after_id, after: true } : undefined
}
