import { queryClient, refetchLists, refetchSoon } from '../cache/query-client.ts'
import { hasNotifications, INBOX_QUERY_KEY } from '../resources/notifications.ts'
import { isSameValue, type Task } from '../tasks/task-patch.ts'
import { subscribeToRecords, type TaskTransition } from '../tasks/task-replica.ts'

const LISTS: ReadonlySet<unknown> = new Set(['tasks', 'search'])
/** The fields that decide whether and where lists of several projects show a task. */
const PLACING_FIELDS = [
  ...(['project_id', 'status', 'assignee_ids', 'due_date', 'priority', 'blocked_by_ids'] as const),
]

/** With more changes at once, as after a gap, all lists on the screen are refetched. */
const MAX_FOLLOWED = 100

/** Makes the lists of the server follow the records of the page. Returns a function that ends it. */
export const followRecords = (): (() => void) =>
  subscribeToRecords((changes) => {
    const known = changes.filter(isNews)
    if (known.length > MAX_FOLLOWED) refetchLists()
    else for (const { id, before, task } of known) followTaskChange(id, before, task)
  })

/** What a page begins to hold is no news, and neither are the details of a task that it had without. */
const isNews = ({ before, task }: TaskTransition): boolean =>
  before !== undefined &&
  (task === undefined || !isSameValue(before, { ...before, ...pick(task, before) }))

const pick = (task: Task, names: object): Partial<Task> =>
  Object.fromEntries(Object.entries(task).filter(([name]) => name in names))

/**
 * Refetches the queries on the screen whose result a changed task alters in a way that its record
 * does not tell. Other lists are marked as stale, and refetched when they are opened.
 */
export function followTaskChange(
  id: string,
  before: Task | undefined,
  task: Task | undefined,
): void {
  const predicate = ({ queryKey: [key] }: { queryKey: readonly unknown[] }) => LISTS.has(key)
  void queryClient.invalidateQueries({ type: 'inactive', refetchType: 'none', predicate })
  if (before?.version !== task?.version) refetchSoon(['activity', id])
  if (before?.title !== task?.title && hasNotifications(id)) refetchSoon([INBOX_QUERY_KEY])
  // It was deleted, or may have been restored.
  if (!before || !task) refetchSoon(['trash'])
  const isMoved =
    !before || !task || PLACING_FIELDS.some((name) => !isSameValue(before[name], task[name]))
  const isSearched =
    isMoved || before?.title !== task?.title || before?.description !== task?.description
  if (isMoved) refetchSoon(['tasks'])
  if (isSearched) refetchSoon(['search'])
}
