import type { Status, StatusCategory } from '#resources/projects/contract.ts'

/** The six marks of a status. */
export type Stamp = 'backlog' | 'todo' | 'in_progress' | 'in_review' | 'done' | 'canceled'

const OF: Record<StatusCategory, Stamp> = {
  backlog: 'backlog',
  unstarted: 'todo',
  started: 'in_progress',
  completed: 'done',
  canceled: 'canceled',
}

/** The mark of a status of a project: the first that counts as started is in progress, later ones are in review. */
export function stampOf(
  statuses: readonly Pick<Status, 'key' | 'category'>[] | undefined,
  key: string,
  category?: StatusCategory,
): Stamp {
  const kind = statuses?.find((one) => one.key === key)?.category ?? category ?? 'unstarted'
  if (kind !== 'started') return OF[kind]
  const first = statuses?.find((one) => one.category === 'started')
  return first === undefined || first.key === key ? 'in_progress' : 'in_review'
}
