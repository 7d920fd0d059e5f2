import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useProjectIndex } from '../../../data/cache/project-index.ts'
import { localChangesSince } from '../../../data/tasks/local-changes.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import {
  findTaskIdByNumber,
  getCachedTask,
  getTasksRevision,
  hasPendingChanges,
  subscribeToTasks,
} from '../../../data/tasks/task-store.ts'
import { type FilterParams, matchesFilter, toFilterQuery } from '../filter/filter-query.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import { formatSort, type ProjectView } from '../project-view.ts'
import {
  applyLocalChanges,
  type LocalTaskChange,
  type PlacementRules,
} from './apply-local-changes.ts'
import { compareTasks, getGroupKeys } from './task-groups.ts'

/**
 * The grouped tasks of a view, including local changes that the server's index does not contain
 * yet. While another view loads, the previous one stays visible; `shown.view` is the view that is
 * shown.
 */
export function useTasks(
  context: ProjectPageContext,
  view: ProjectView,
  extraParams: FilterParams = NO_EXTRA_PARAMS,
  isEnabled = true,
) {
  const { project, filterContext } = context
  const { filter, group, sort, descending } = view
  const query = useMemo(() => {
    const { api, indexOnly } = toFilterQuery(filter, filterContext)
    return { ...api, ...indexOnly, ...extraParams, group, sort: formatSort({ sort, descending }) }
  }, [filter, filterContext, group, sort, descending, extraParams])
  const { indexed, error, retry } = useProjectIndex(project.id, query, isEnabled)
  const rules = useMemo((): PlacementRules<Task> => {
    const loadedTask = (number: number) =>
      getCachedTask(findTaskIdByNumber(project.id, number) ?? '')
    return {
      today: filterContext.today,
      keysOf: (task) =>
        task.project_id === project.id && matchesFilter(task, filter, filterContext)
          ? getGroupKeys(task, group, filterContext.today, (id) => getCachedTask(id)?.number)
          : [],
      compare(a, b) {
        const [x, y] = [loadedTask(a), loadedTask(b)]
        return x && y ? compareTasks(sort, descending, x, y) : undefined
      },
    }
  }, [project.id, filterContext, filter, group, sort, descending])
  const getLocals = useMemo(
    () => createLocalsSnapshot(project.id, indexed?.requestedAt ?? 0, rules, view),
    [project.id, indexed?.requestedAt, rules, view],
  )
  const locals = useSyncExternalStore(subscribeToTasks, getLocals)
  const current = useMemo(
    () => indexed && { project, view, index: applyLocalChanges(indexed.index, locals, rules) },
    [indexed, locals, rules, project, view],
  )
  const previous = useRef(current)
  useEffect(() => {
    if (current) previous.current = current
  }, [current])
  const shown =
    current ?? (previous.current?.project.id === project.id ? previous.current : undefined)
  return { shown, error, retry }
}

const NO_EXTRA_PARAMS: FilterParams = {}

/**
 * A store snapshot of the tasks that were changed locally since the index was requested. It returns
 * the same array until the place of a task would change, so that typing a title renders one row and
 * not the list.
 */
function createLocalsSnapshot(
  project_id: string,
  since: number,
  { keysOf }: PlacementRules<Task>,
  { sort }: ProjectView,
): () => readonly LocalTaskChange<Task>[] {
  let seenRevision = -1
  let signature = ''
  let locals: readonly LocalTaskChange<Task>[] = []
  return () => {
    if (seenRevision === getTasksRevision()) return locals
    seenRevision = getTasksRevision()
    const next = localChangesSince(since, hasPendingChanges)
      .filter((one) => one.project_id === project_id)
      .map(({ id, number, previousTask, anchor }): LocalTaskChange<Task> => {
        const now = getCachedTask(id)
        const beside = anchor && getCachedTask(anchor.id)
        return {
          ...{ number, was: previousTask, now },
          anchor: beside && { number: beside.number, after: anchor.after },
          parent: getCachedTask(now?.parent_id ?? '')?.number,
        }
      })
    const nextSignature = JSON.stringify(
      next.map(({ number, now, anchor, parent }) => [
        ...[number, anchor, parent, now && keysOf(now), now?.[sort], now?.start_date],
        ...[now?.estimate_seconds, now?.time_spent_seconds, now?.status, now?.due_date],
      ]),
    )
    if (nextSignature !== signature) {
      signature = nextSignature
      locals = next
    }
    return locals
  }
}
