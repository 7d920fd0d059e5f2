import type { Task } from '#resources/tasks/fields.ts'

/** A task before a change of somebody else, and when that arrived (ms). */
export interface ChangeStep {
  at: number
  previousTask: Task | undefined
}

/** The indexes of a project that are on the screen. */
export interface ShownIndexes {
  /** When each of them was requested (ms). */
  requestedAt: readonly number[]
  /** Whether one is requested at present. Nothing is known of the moment up to which it will tell. */
  isLoading: boolean
}

/**
 * The steps of a task at which a list may look: the first one since its index was requested, and the
 * first one that waits while the person interacts, which has the task as the list goes on showing
 * it. Those before that moment stay meanwhile, because an older index may still be shown.
 */
export function pickNeededSteps(
  steps: readonly ChangeStep[],
  { requestedAt, isLoading }: ShownIndexes,
  heldSince = Number.NEGATIVE_INFINITY,
): readonly ChangeStep[] {
  const oldest = Math.min(...requestedAt)
  const moments = [...requestedAt, Math.max(heldSince, oldest)]
  const first = new Set(moments.map((since) => steps.find(({ at }) => at >= since)))
  return steps.filter(
    (one) => first.has(one) || one.at < heldSince || (isLoading && one.at >= oldest),
  )
}
