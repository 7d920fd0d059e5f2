import { HOUR_MS } from '#lib/durations.ts'
import type { Task, TaskChange } from './task-patch.ts'

/**
 * A task that was changed on this page. A list that was fetched before the change does not reflect
 * it and has to place the task by its current fields.
 */
export interface LocalChange {
  /** The task before its first unacknowledged change; undefined if it was created on this page. */
  previousTask: Task | undefined
  id: string
  number: number
  project_id: string
  /** When it was last changed, acknowledged or undone, in ms since 1970. */
  changedAt: number
  /** The tasks beside which the person has dropped it, the last one last. */
  anchors: readonly LocalAnchor[]
}

interface LocalAnchor {
  /** The key of the change that has moved the task. */
  key: string
  id: string
  after: boolean
}

const changesById = new Map<string, LocalChange>()

/** The changes since a moment, and all that the server has not acknowledged. */
export const localChangesSince = (
  at: number,
  hasPendingChanges: (id: string) => boolean,
): LocalChange[] =>
  [...changesById.values()].filter((one) => one.changedAt >= at || hasPendingChanges(one.id))

/** Records a change on top of the pending ones; without one, a task was created or restored. */
export function recordLocalChange(
  task: Task,
  pending: readonly TaskChange[] = [],
  change?: TaskChange,
): void {
  const { id, number, project_id } = task
  const before = pending.length > 0 ? changesById.get(id) : undefined
  const was = before ? before.previousTask : change ? task : undefined
  const anchors = change ? [...(before?.anchors ?? []), ...anchorsOf(change)] : []
  // The last change comes last: moves beside each other are placed in the order they were made in.
  changesById.delete(id)
  changesById.set(id, { id, number, project_id, previousTask: was, anchors, changedAt: Date.now() })
}

/** By then a list is fetched again, or places the task by what the server has made of the change. */
const MAX_AGE_MS = HOUR_MS
const MIN_KEPT_CHANGES = 1_000
let forgetAbove = MIN_KEPT_CHANGES

/** Forgets old changes that the server has acknowledged, once there are many. */
export function forgetOldLocalChanges(hasPendingChanges: (id: string) => boolean): void {
  if (changesById.size <= forgetAbove) return
  const since = Date.now() - MAX_AGE_MS
  for (const [id, { changedAt }] of changesById)
    if (changedAt < since && !hasPendingChanges(id)) changesById.delete(id)
  // Otherwise many recent changes would be looked through at each further one.
  forgetAbove = Math.max(MIN_KEPT_CHANGES, 2 * changesById.size)
}

/** Records that a change of a task was acknowledged or undone. */
export function touchLocalChange(id: string): void {
  const known = changesById.get(id)
  if (known) changesById.set(id, { ...known, changedAt: Date.now() })
}

/** Records that a change of a task was refused or canceled, so it does not place the task any more. */
export function withdrawLocalChange(id: string, key: string): void {
  const known = changesById.get(id)
  if (!known) return
  const anchors = known.anchors.filter((anchor) => anchor.key !== key)
  changesById.set(id, { ...known, anchors, changedAt: Date.now() })
}

function anchorsOf({ key, patch }: TaskChange): LocalAnchor[] {
  if (patch.before_id) return [{ key, id: patch.before_id, after: false }]
  return patch.after_id ? [{ key, id: patch.after_id, after: true }] : []
}
