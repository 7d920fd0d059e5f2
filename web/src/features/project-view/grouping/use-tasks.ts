import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import {
  type ProjectIndex,
  type ProjectIndexResult,
  type ProjectIndexSearch,
  toIndexSearch,
  useProjectIndex,
} from '../../../data/cache/project-index.ts'
import { refetchSoon } from '../../../data/cache/query-client.ts'
import {
  declareSelfPlacing,
  getShownTask,
  requestIndexRefetch,
  settledChangesSince,
} from '../../../data/live/settled-changes.ts'
import { localChangesSince } from '../../../data/tasks/local-changes.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import {
  getCachedTask,
  getRealId,
  getTaskLoads,
  getTasksRevision,
  hasPendingChanges,
  subscribeToTasks,
} from '../../../data/tasks/task-store.ts'
import { toPlainDate } from '../../../lib/dates/plain-date.ts'
import { staleSince } from '../../../lib/http/reply-cache.ts'
import {
  type FilterParams,
  matchesFilter,
  startOfHour,
  toFilterQuery,
} from '../filter/filter-query.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import { formatSort, type ProjectView } from '../project-view.ts'
import {
  applyLocalChanges,
  countLoosePlaces,
  isPlaceable,
  type LocalTaskChange,
  type PlacementRules,
} from './apply-local-changes.ts'
import { compareTasks, getGroupKeys, getSortValue } from './task-groups.ts'

/**
 * The grouped tasks of a view, including local changes that the server's index does not contain
 * yet. While another view loads, the previous one stays visible; `shown.view` is the view that is
 * shown, by which its tasks are moved. If it cannot be loaded, nothing is shown but the error.
 */
export function useTasks(
  context: ProjectPageContext,
  view: ProjectView,
  extraParams: FilterParams = NO_EXTRA_PARAMS,
  isEnabled = true,
) {
  const { project } = context
  const { filter, group, sort, descending } = view
  const hour = startOfHour(Date.now())
  const filterContext = useMemo(
    () => ({ ...context.filterContext, now: () => hour }),
    [context.filterContext, hour],
  )
  const query = useMemo(() => {
    const { api, indexOnly } = toFilterQuery(filter, filterContext)
    return { ...api, ...indexOnly, ...extraParams, group, sort: formatSort({ sort, descending }) }
  }, [filter, filterContext, group, sort, descending, extraParams])
  const { indexed, error, retry } = useProjectIndex(project.id, query, isEnabled)
  const rules = useMemo((): PlacementRules<Task> => {
    // The parent may not be loaded.
    const numberOfParent = ({ number }: Task, id: string) =>
      findCreatedTask(id)?.number ?? (id ? indexed?.index.parents[number] : undefined)
    return {
      today: filterContext.today,
      keysOf: (task) =>
        task.project_id === project.id && matchesFilter(task, filter, filterContext)
          ? getGroupKeys(task, group, filterContext.today, (id) => numberOfParent(task, id))
          : [],
      placesNewGroups: !UNORDERED_GROUPS.includes(group),
      sortValue: (task) => getSortValue(task, sort),
      compare(a, b) {
        const y = getShownTask(project.id, b)
        const x = y && getShownTask(project.id, a)
        return x && compareTasks(sort, descending, x, y)
      },
    }
  }, [project.id, filterContext, filter, group, sort, descending, indexed])
  const getPlacement = useMemo(
    () => createPlacementSnapshot(project.id, indexed, rules),
    [project.id, indexed, rules],
  )
  const placement = useSyncExternalStore(subscribeToTasks, getPlacement)
  const current = useMemo(
    () => placement && { project, view, index: placement.index },
    [placement, project, view],
  )
  useEffect(() => {
    const readIndex = () => {
      const placed = getPlacement()
      return placed?.locals.every(({ isSettled }) => isSettled) ? placed.index : undefined
    }
    return declareSelfPlacing({ project_id: project.id, search: toIndexSearch(query), readIndex })
  }, [project.id, query, getPlacement])
  useRefetchUnlessExact(project.id, query, indexed, placement, rules)
  const previous = useRef(current)
  useEffect(() => {
    if (current) previous.current = current
  }, [current])
  const kept = previous.current
  const isUsable = kept?.project.id === project.id && (!error || kept.view === view)
  const shown = current ?? (isUsable ? kept : undefined)
  return { shown, shownView: shown?.view ?? view, error, retry }
}

const NO_EXTRA_PARAMS: FilterParams = {}
/** The server orders these groups by names that the page may not have. */
const UNORDERED_GROUPS: readonly string[] = ['assignee', 'tag', 'parent']

/** A loaded task that an unsaved change may still name by its temporary id. */
const findCreatedTask = (id: string | null | undefined): Task | undefined =>
  getCachedTask(getRealId(id ?? ''))

/**
 * Refetches the index on a later day, or if a changed task cannot be placed from its record: soon if
 * this page has changed one, so that the person sees where it is.
 */
function useRefetchUnlessExact(
  project_id: string,
  query: ProjectIndexSearch,
  indexed: ProjectIndexResult | undefined,
  placement: Placement | undefined,
  rules: PlacementRules<Task>,
) {
  const search = toIndexSearch(query)
  useEffect(() => {
    if (!indexed || !placement) return
    const { locals, looseCount } = placement
    const isExact =
      isOfToday(indexed, rules) &&
      locals.length <= MAX_LOCALS &&
      (indexed.index.blocks === undefined || !locals.some(hasOtherBlockers)) &&
      !locals.some(hasUnknownParent) &&
      looseCount <= MAX_LOOSE_PLACES &&
      isPlaceable(indexed.index, locals, rules)
    const hasOwn = locals.some(({ isOwn }) => isOwn)
    // After an own change the cursor stays on the task and goes on from its place, which is a guess
    // while rows beside it are not loaded.
    if (isExact && (looseCount === 0 || !hasOwn)) return
    const key = ['index', project_id, search]
    if (hasOwn && !isExact) refetchSoon(key)
    else requestIndexRefetch(key)
  }, [project_id, search, indexed, placement, rules])
}

/**
 * The server groups by due date, and counts what is overdue, as of a day. What is shown from the
 * offline cache is read again anyway when the server answers.
 */
const isOfToday = ({ requestedAt }: ProjectIndexResult, { today }: PlacementRules<Task>): boolean =>
  staleSince.get() !== undefined || toPlainDate(requestedAt) >= today

const hasOtherBlockers = ({ isSettled, was, now }: LocalTaskChange<Task>): boolean =>
  isSettled === true && was?.blocked_by_ids.join() !== now?.blocked_by_ids.join()

/** Whether a task has a new parent that is not loaded, below which it may have to be shown. */
const hasUnknownParent = ({ isSettled, was, now, parent }: LocalTaskChange<Task>): boolean =>
  isSettled === true &&
  parent === undefined &&
  now !== undefined &&
  now.parent_id !== null &&
  now.parent_id !== was?.parent_id

/** With more changes than this, placing them takes longer than a new index does. */
const MAX_LOCALS = 200
/** These are placed anew whenever rows are loaded. */
const MAX_LOOSE_PLACES = 10

/** An index with the tasks that were changed since it was requested at their places. */
interface Placement {
  index: ProjectIndex
  locals: readonly LocalTaskChange<Task>[]
  looseCount: number
}

/**
 * A store snapshot of the index with the tasks that were changed since it was requested. It returns
 * the same object until the place of a task would change, so that a new title renders one row and not
 * the list.
 */
function createPlacementSnapshot(
  project_id: string,
  indexed: ProjectIndexResult | undefined,
  rules: PlacementRules<Task>,
): () => Placement | undefined {
  if (!indexed) return () => undefined
  const { index, requestedAt: since } = indexed
  let seenRevision = -1
  let seenLoads = -1
  let signature = ''
  let placement: Placement = { index, locals: [], looseCount: 0 }
  const parentOf = (was: Task | undefined, now: Task | undefined) =>
    findCreatedTask(now?.parent_id)?.number ??
    (was && was.parent_id === now?.parent_id ? index.parents[was.number] : undefined)
  const placeOf = (task: Task | undefined) =>
    task && [
      rules.keysOf(task),
      rules.sortValue(task),
      task.start_date,
      task.estimate_seconds,
      task.parent_id,
      task.time_spent_seconds,
      task.status,
      task.due_date,
      task.blocked_by_ids.join(),
    ]
  return () => {
    if (seenRevision === getTasksRevision()) return placement
    seenRevision = getTasksRevision()
    const settled = new Map(settledChangesSince(project_id, since).map((one) => [one.number, one]))
    const own = localChangesSince(since, hasPendingChanges)
      .filter((one) => one.project_id === project_id)
      .filter(({ id, number }) => !settled.has(number) || hasPendingChanges(id))
      .map(({ id, number, previousTask, anchors }): LocalTaskChange<Task> => {
        const now = getCachedTask(id)
        const anchor = anchors.at(-1)
        const beside = anchor && findCreatedTask(anchor.id)
        const indexedTask = settled.get(number) ?? { previousTask }
        settled.delete(number)
        return {
          number,
          was: indexedTask.previousTask,
          now,
          anchor: beside && { number: beside.number, after: anchor.after },
          parent: findCreatedTask(now?.parent_id)?.number,
        }
      })
    const rest = [...settled.values()]
      .map(
        ({ number, previousTask: was, task: now, isOwn }): LocalTaskChange<Task> => ({
          number,
          was,
          now,
          parent: parentOf(was, now),
          isSettled: true,
          isOwn,
        }),
      )
      .filter(({ was, now }) => JSON.stringify(placeOf(was)) !== JSON.stringify(placeOf(now)))
    const locals = [...own, ...rest]
    const nextSignature = JSON.stringify(
      locals.map(({ number, now, anchor, parent, isSettled }) => [
        number,
        anchor,
        parent,
        placeOf(now),
        isSettled,
      ]),
    )
    const isLoose = placement.looseCount > 0 && seenLoads !== getTaskLoads()
    if (nextSignature !== signature || isLoose) {
      signature = nextSignature
      seenLoads = getTaskLoads()
      const placed = applyLocalChanges(index, locals, rules)
      placement = { index: placed, locals, looseCount: countLoosePlaces(placed, locals, rules) }
    }
    return placement
  }
}
