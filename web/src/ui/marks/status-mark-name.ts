import type { Status, StatusCategory } from '#resources/projects/contract.ts'

/** The six symbols that statuses are drawn with. */
export type StatusMarkName = 'backlog' | 'todo' | 'in_progress' | 'in_review' | 'done' | 'canceled'

const MARK_BY_CATEGORY: Record<StatusCategory, StatusMarkName> = {
  backlog: 'backlog',
  unstarted: 'todo',
  started: 'in_progress',
  completed: 'done',
  canceled: 'canceled',
}

/** Returns the symbol of a task's status in its project. */
export const getTaskMark = (
  project: { statuses: readonly Pick<Status, 'key' | 'category'>[] } | undefined,
  task: { status: string; status_category: StatusCategory },
): StatusMarkName => getStatusMark(project?.statuses, task.status, task.status_category)

/**
 * Returns the symbol of a project's status. The first status of the category `started` is drawn as
 * in progress, later ones as in review.
 */
export function getStatusMark(
  statuses: readonly Pick<Status, 'key' | 'category'>[] | undefined,
  key: string,
  category?: StatusCategory,
): StatusMarkName {
  const statusCategory =
    statuses?.find((one) => one.key === key)?.category ?? category ?? 'unstarted'
  if (statusCategory !== 'started') return MARK_BY_CATEGORY[statusCategory]
  const first = statuses?.find((one) => one.category === 'started')
  return first === undefined || first.key === key ? 'in_progress' : 'in_review'
}
