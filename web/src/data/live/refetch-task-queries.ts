import type { Task } from '#resources/tasks/fields.ts'
import { queryClient, refetchSoon } from '../cache/query-client.ts'
import { bootState } from '../session/boot.ts'
import { isSameValue } from '../tasks/task-patch.ts'
import { refetchTaskNotifications } from './refetch-notifications.ts'
import { isSelfPlacing, requestIndexRefetch } from './settled-changes.ts'

const LISTS: ReadonlySet<unknown> = new Set(['index', 'tasks', 'search'])
/** The fields that decide whether and where lists of several projects show a task. */
const PLACING_FIELDS = [
  ...(['project_id', 'status', 'assignee_ids', 'due_date', 'priority', 'blocked_by_ids'] as const),
]

/**
 * Refetches the queries on the screen whose result a changed task alters in a way that its record
 * does not tell. Other lists are marked as stale, and refetched when they are opened.
 */
export function refetchTaskQueries(
  id: string,
  before: Task | undefined,
  task: Task | undefined,
): void {
  const predicate = ({ queryKey: [key] }: { queryKey: readonly unknown[] }) => LISTS.has(key)
  void queryClient.invalidateQueries({ type: 'inactive', refetchType: 'none', predicate })
  if (before?.version !== task?.version) refetchSoon(['activity', id])
  refetchTaskNotifications(id, before, task)
  const isMoved =
    !before || !task || PLACING_FIELDS.some((name) => !isSameValue(before[name], task[name]))
  for (const { queryKey } of queryClient.getQueryCache().findAll({ type: 'active' })) {
    if (!isAltered(queryKey, before, task, isMoved)) continue
    if (queryKey[0] === 'index') requestIndexRefetch(queryKey)
    else refetchSoon(queryKey)
  }
}

function isAltered(
  [list, kind, detail]: readonly unknown[],
  before: Task | undefined,
  task: Task | undefined,
  isMoved: boolean,
): boolean {
  const concerns = (isConcerned: (one: Task) => boolean) =>
    [before, task].some((one) => one !== undefined && isConcerned(one))
  if (list === 'index') {
    // Such a screen shows only the number of tasks of a status, or whether there are any.
    const isCountedAnew =
      !before || !task || before.status !== task.status || before.project_id !== task.project_id
    return (
      isCountedAnew &&
      concerns(({ project_id }) => project_id === kind) &&
      !isSelfPlacing(kind, detail)
    )
  }
  if (list === 'search')
    return isMoved || before?.title !== task?.title || before?.description !== task?.description
  if (list !== 'tasks' || kind === 'of') return false
  if (kind === 'under')
    return (
      concerns(({ parent_id }) => parent_id === detail) &&
      (before?.parent_id !== task?.parent_id || before?.position !== task?.position)
    )
  // An unknown task that was deleted may have been in any list.
  if (!before && !task) return true
  const me = bootState.get()?.session.user.id ?? ''
  if (kind === 'my')
    return (
      isMoved &&
      concerns(({ assignee_ids, created_by_id }) =>
        detail === 'created' ? created_by_id === me : assignee_ids.includes(me),
      )
    )
  return isMoved
}
