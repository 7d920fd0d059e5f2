import { useLayoutEffect, useMemo, useSyncExternalStore } from 'react'
import { isUserBusy, whenUserIdle } from '../../../data/live/user-activity.ts'
import { retryTasks, useHeldProjectOrOpen } from '../../../data/tasks/held-tasks.ts'
import { useLoadReferencedTasks } from '../../../data/tasks/referenced-tasks.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import {
  getCachedTask,
  getCachedTasks,
  getRealId,
  getTasksRevision,
  isOwnTask,
  subscribeToTasks,
} from '../../../data/tasks/task-store.ts'
import { ListView } from '../../../replica/list-view.ts'
import { startOfHour } from '../filter/filter-query.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import {
  createListRules,
  type ListContext,
  type ProjectList,
  type TaskSortKey,
  type TaskSummary,
  toProjectList,
} from './project-list.ts'
import { useFoundTasks } from './use-found-tasks.ts'
import { useTextMatch } from './use-text-match.ts'

/** The grouped tasks of a view, with all local changes; undefined until there are some to show. */
export function useTasks(context: ProjectPageContext, view: ProjectView) {
  const { project, includes, filterContext, nameOf } = context
  const { filter, group, sort, descending } = view
  const { isWhole, isShowable, error } = useHeldProjectOrOpen(project?.id)
  useLoadReferencedTasks(includes, isWhole)
  const { found, ...more } = useFoundTasks(context, view)
  const search = useTextMatch(project?.id, filter, found)
  const { matches } = search
  const hour = startOfHour(Date.now())
  const list = useMemo(() => {
    const listContext = {
      includes: (task: TaskSummary) => found.has(task.id) || includes(task),
      nameOf,
      filterContext: { ...filterContext, now: () => hour },
      ...(matches && { matches }),
    }
    return new FollowedList({ filter, group, sort, descending }, listContext)
  }, [includes, nameOf, filterContext, hour, found, matches, filter, group, sort, descending])
  useLayoutEffect(() => list.setLoading(!isWhole), [list, isWhole])
  const tasks = useSyncExternalStore(list.subscribe, list.read)
  return {
    // That nothing is found is said once it is known.
    list:
      isShowable && (tasks.total > 0 || (isWhole && !search.isIncomplete && !more.isIncomplete))
        ? tasks
        : undefined,
    found,
    loadMore: more.loadMore,
    error: error ?? search.error ?? more.error,
    retry() {
      if (error !== undefined) retryTasks(project?.id)
      else if (search.error !== undefined) search.retry()
      else more.retry()
    },
  }
}

type PlacedView = Pick<ProjectView, 'filter' | 'group' | 'sort' | 'descending'>

/** The tasks of a view, which follow all changes while somebody subscribes. */
class FollowedList {
  readonly #view: PlacedView
  readonly #context: ListContext
  #rows: ListView<Task, TaskSortKey> | undefined
  /** The revision of the tasks that the rows contain. */
  #revision = 0
  #list: ProjectList | undefined
  #isLoading = true
  #stopWaiting: (() => void) | undefined
  #makeAnew: () => void = () => undefined

  constructor(view: PlacedView, context: ListContext) {
    this.#view = view
    this.#context = context
  }

  /** Whether the place of a task depends on those that block it. */
  get #dependsOnBlockers(): boolean {
    const { filter, group } = this.#view
    return group === 'blocked' || filter.some(({ property }) => property === 'blocked')
  }

  /** While a project is loading, its list is made anew when as many tasks wait as it has. */
  setLoading(isLoading: boolean): void {
    if (isLoading === this.#isLoading) return
    this.#isLoading = isLoading
    this.#makeAnew()
  }

  read = (): ProjectList => {
    const rows = this.#rows ?? this.#makeRows()
    this.#list ??= toProjectList(rows, this.#view, this.#context, findTask)
    return this.#list
  }

  subscribe = (onChange: () => void): (() => void) => {
    if (this.#revision !== getTasksRevision()) this.#rows = this.#list = undefined
    const update = (ids: Iterable<string>) => {
      this.#update(ids, update)
      onChange()
    }
    const stop = subscribeToTasks(update)
    this.#makeAnew = () => {
      this.#rows = this.#list = undefined
      onChange()
    }
    return () => {
      stop()
      this.#makeAnew = () => undefined
      this.#stopWaiting?.()
      this.#stopWaiting = undefined
    }
  }

  #makeRows(): ListView<Task, TaskSortKey> {
    this.#revision = getTasksRevision()
    this.#rows = new ListView(createListRules(this.#view, this.#context), getCachedTasks())
    return this.#rows
  }

  /** Rows never move while the person interacts, apart from what they have changed themselves. */
  #update(ids: Iterable<string>, updateLater: (ids: Iterable<string>) => void): void {
    this.#revision = getTasksRevision()
    this.#list = undefined
    const rows = this.#rows
    if (!rows) return
    const hasToWait = this.#isLoading || isUserBusy()
    rows.update(
      this.#dependsOnBlockers ? withBlockedTasks(ids) : ids,
      getCachedTask,
      (id) => hasToWait && !isOwnTask(id),
    )
    if (this.#isLoading) {
      if (rows.waitingIds.size >= rows.total) this.#rows = undefined
      return
    }
    if (rows.waitingIds.size === 0 || this.#stopWaiting) return
    this.#stopWaiting = whenUserIdle(() => {
      this.#stopWaiting = undefined
      updateLater([])
    })
  }
}

/** These tasks and those that they block. */
function withBlockedTasks(ids: Iterable<string>): ReadonlySet<string> {
  const all = new Set(ids)
  for (const task of getCachedTasks())
    if (task.blocked_by_ids.some((id) => all.has(id))) all.add(task.id)
  return all
}

/** A task that an unsaved change may still name by its temporary id. */
const findTask = (id: string): Task | undefined => getCachedTask(getRealId(id))
