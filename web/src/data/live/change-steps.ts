import type { Task } from '#resources/tasks/fields.ts'

/** A task before a change that the server has made, and when the page heard of that (ms). */
export interface ChangeStep {
  at: number
  /** Whether lists show it even while the person interacts, who has made it or a later one. */
  isImmediate?: boolean
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
  const waitsFrom = Math.max(heldSince, oldest)
  const needed = new Set([
    ...requestedAt.map((since) => steps.find(({ at }) => at >= since)),
    steps.find(({ at, isImmediate }) => at >= waitsFrom && !isImmediate),
  ])
  return steps.filter(
    (one) => needed.has(one) || one.at < heldSince || (isLoading && one.at >= oldest),
  )
}
