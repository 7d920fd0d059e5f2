import '../../styles/found-list.css'
import './my-work.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import type { listTasks } from '#resources/tasks/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { useBoot } from '../../data/session/boot.ts'
import { getCachedTask, putTasks, useTasksRevision } from '../../data/tasks/task-store.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { formatHoursMinutes } from '../../lib/dates/duration.ts'
import { addDaysToDate, formatDay, today } from '../../lib/dates/plain-date.ts'
import { type CallInput, requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { myWorkMessages } from '../../messages/tasks/my-work.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { Button } from '../../ui/form/button.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { openPalette } from '../palette/index.ts'
import { TaskSidePanel } from '../task-detail/index.ts'
import { CrossProjectBulkBar } from './cross-project-bulk-bar.tsx'
import {
  CrossProjectSelectionProvider,
  useCreateCrossProjectSelection,
} from './cross-project-selection.ts'
import { CrossProjectTaskRow } from './cross-project-task-row.tsx'
import { getWeekWorkload, groupByMyWorkSection, MY_WORK_SECTIONS } from './my-work-sections.ts'
import { useCrossProjectShortcuts } from './use-cross-project-shortcuts.ts'

type MyWorkTab = keyof typeof myWorkMessages.tabs
const TABS = Object.keys(myWorkMessages.tabs) as MyWorkTab[]
type MyTasksQuery = NonNullable<CallInput<typeof listTasks>['query']>

const MAX_SELECTED = 10_000

const OPEN_FILTER = {
  completed: false,
  status_category: ['backlog', 'unstarted', 'started'],
} as const

/** Builds the query of a tab. */
function buildTabQuery(tab: MyWorkTab): MyTasksQuery {
  const page = { limit: 100 }
  if (tab === 'created') return { ...page, ...openFilter(), created_by_id: ['me'] }
  if (tab === 'done') {
    const completed_after = `${addDaysToDate(today(), -30)}T00:00:00Z`
    return { ...page, assignee_id: ['me'], completed: true, completed_after, sort: '-updated_at' }
  }
  return { ...page, ...openFilter(), assignee_id: ['me'], sort: 'due_date' }
}

const openFilter = (): MyTasksQuery => ({
  ...OPEN_FILTER,
  status_category: [...OPEN_FILTER.status_category],
})

/** The tasks of the signed-in user in all projects, by due date. */
export function MyWork() {
  const [tab, setTab] = useState<MyWorkTab>('mine')
  const { task } = useSearch({ from: '/w/$workspaceId' })
  const myTasks = useMyTasks(tab)
  useTitle(myWorkMessages.title)
  const tasks = useTabTasks(myTasks.ids, tab)
  const order = useMemo(() => orderIds(tasks, tab), [tasks, tab])
  const { selection, ids, value } = useCreateCrossProjectSelection(order)
  const list = useRef<HTMLDivElement>(null)
  useCrossProjectShortcuts(list, value)
  const boot = useBoot()
  const selected = tasks.filter(({ id }) => ids.has(id))
  const selectAll = async () => {
    const allIds = myTasks.loadMore ? await myTasks.loadAll() : []
    if (allIds) selection.set(new Set([...order, ...allIds]))
  }
  return (
    <>
      <main className="paper" id="work">
        <header className="head">
          <div className="head-top">
            <div className="gut">{myTasks.ids ? tasks.length : ''}</div>
            <h1>{myWorkMessages.title}</h1>
          </div>
          {selected.length > 0 && (
            <CrossProjectBulkBar
              boot={boot}
              tasks={selected}
              all={
                selected.length < order.length || myTasks.loadMore
                  ? () => void selectAll()
                  : undefined
              }
              clear={() => selection.set([])}
            />
          )}
          <div className="head-bar" style={selected.length > 0 ? { display: 'none' } : undefined}>
            <div className="gut" />
            <nav className="views" aria-label={myWorkMessages.views}>
              {TABS.map((name) => (
                <button
                  key={name}
                  type="button"
                  aria-current={name === tab ? 'page' : undefined}
                  onClick={() => setTab(name)}
                >
                  {myWorkMessages.tabs[name]}
                </button>
              ))}
            </nav>
          </div>
        </header>
        <div className="scroll" ref={list}>
          {myTasks.error && <ErrorMessage error={myTasks.error} onRetry={myTasks.retry} />}
          {!myTasks.ids && !myTasks.error && <Skeleton rows={12} />}
          {myTasks.ids && tasks.length === 0 && <EmptyTab tab={tab} />}
          {myTasks.ids && tasks.length > 0 && tab === 'mine' && <WeekWorkload tasks={tasks} />}
          {myTasks.ids && (
            <CrossProjectSelectionProvider value={value}>
              <Sections tasks={tasks} flat={tab === 'done'} />
            </CrossProjectSelectionProvider>
          )}
          {myTasks.loadMore && (
            <p className="line">
              <span className="gut" />
              <span>
                <button type="button" className="btn" onClick={myTasks.loadMore}>
                  {myWorkMessages.more}
                </button>
              </span>
            </p>
          )}
        </div>
      </main>
      <TaskSidePanel shortId={task} siblings={tasks.map(({ short_id }) => short_id)} />
    </>
  )
}

/** The ids of the tasks in the order in which the screen shows them. */
function orderIds(tasks: readonly Task[], tab: MyWorkTab): string[] {
  if (tab === 'done') return tasks.map(({ id }) => id)
  const sections = groupByMyWorkSection(tasks, today())
  return MY_WORK_SECTIONS.flatMap((name) => (sections.get(name) ?? []).map(({ id }) => id))
}

/**
 * Loads pages until the last one, or until the maximum that can be selected together. Returns
 * undefined if one fails: there is still a next page then, and asking for it would never end.
 */
async function loadAllIds(
  fetchNext: () => Promise<{
    data?: { pages: { ids: string[] }[] } | undefined
    hasNextPage: boolean
    isError: boolean
  }>,
) {
  for (;;) {
    const { data, hasNextPage, isError } = await fetchNext()
    if (isError) return undefined
    const ids = data?.pages.flatMap((page) => page.ids) ?? []
    if (!hasNextPage || ids.length >= MAX_SELECTED) return ids
  }
}

/** The ids of a tab's tasks when they were loaded. The store has the tasks themselves. */
function useMyTasks(tab: MyWorkTab) {
  const taskQuery = useInfiniteQuery({
    queryKey: ['tasks', 'my', tab === 'blocked' ? 'mine' : tab],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...buildTabQuery(tab), ...(pageParam && { cursor: pageParam }) }
      const page = await requestEndpoint<typeof listTasks>(
        'GET /api/v1/tasks',
        { query },
        { signal },
      )
      putTasks(page.data)
      return { ids: page.data.map(({ id }) => id), next: page.next_cursor }
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const ids = useMemo(() => taskQuery.data?.pages.flatMap((page) => page.ids), [taskQuery.data])
  return {
    ids,
    error: taskQuery.error,
    retry: () => void taskQuery.refetch(),
    /** Loads all pages and returns their ids; undefined if one of them failed. */
    loadAll: () => loadAllIds(taskQuery.fetchNextPage),
    loadMore: taskQuery.hasNextPage ? () => void taskQuery.fetchNextPage() : undefined,
  }
}

const NO_IDS: readonly string[] = []

/**
 * The tasks of a tab. A task that is completed, or reopened in the tab of the completed ones, stays
 * until the tab is left, so that its row keeps the focus. A deleted one disappears at once.
 */
function useTabTasks(ids: readonly string[] = NO_IDS, tab: MyWorkTab): Task[] {
  const revision = useTasksRevision()
  const shownIds = useShownIds(ids, tab)
  return useMemo(() => {
    const loaded = new Set(ids)
    const tasks = shownIds.flatMap((id) => {
      const task = revision >= 0 ? getCachedTask(id) : undefined
      return task && (loaded.has(id) || isFinished(task) === (tab !== 'done')) ? task : []
    })
    return tab === 'blocked'
      ? tasks.filter(({ blocked_by_ids }) => blocked_by_ids.length > 0)
      : tasks
  }, [ids, shownIds, tab, revision])
}

const isFinished = ({ status_category }: Task): boolean =>
  status_category === 'completed' || status_category === 'canceled'

/** The ids of all tasks that were loaded since the tab was opened, each in its latest place. */
function useShownIds(ids: readonly string[], tab: MyWorkTab): readonly string[] {
  const [shown, setShown] = useState({ tab, loaded: ids, all: ids })
  if (shown.tab === tab && shown.loaded === ids) return shown.all
  const all = [...ids]
  if (shown.tab === tab) {
    const loaded = new Set(ids)
    for (const [at, id] of shown.all.entries()) if (!loaded.has(id)) all.splice(at, 0, id)
  }
  setShown({ tab, loaded: ids, all })
  return all
}

function Sections({ tasks, flat }: { tasks: readonly Task[]; flat: boolean }) {
  if (flat) {
    return (
      <ul className="list my">
        {tasks.map(({ id }) => (
          <CrossProjectTaskRow key={id} id={id} />
        ))}
      </ul>
    )
  }
  const sections = groupByMyWorkSection(tasks, today())
  return MY_WORK_SECTIONS.map((name) => {
    const sectionTasks = sections.get(name) ?? []
    if (sectionTasks.length === 0) return null
    return (
      <section key={name} aria-labelledby={`my-${name}`} className="list my">
        <div className="row group">
          <span className="gut">{sectionTasks.length}</span>
          <h2 className="what" id={`my-${name}`}>
            {myWorkMessages.sections[name]}
          </h2>
        </div>
        <ul>
          {sectionTasks.map(({ id }) => (
            <CrossProjectTaskRow key={id} id={id} />
          ))}
        </ul>
      </section>
    )
  })
}

/** A bar for each day of the coming week: the hours left of the estimates. */
function WeekWorkload({ tasks }: { tasks: readonly Task[] }) {
  const workload = getWeekWorkload(tasks, today())
  const max = Math.max(...workload.map(({ seconds }) => seconds))
  if (max === 0) return null
  return (
    <div className="line week-load">
      <span className="gut">
        {formatHoursMinutes(workload.reduce((sum, { seconds }) => sum + seconds, 0))}
      </span>
      <ol aria-label={myWorkMessages.load}>
        {workload.map(({ day, seconds }) => (
          <li key={day}>
            <span className="bar-of" style={{ blockSize: `${(seconds / max) * 100}%` }} />
            <b className="mono">{seconds > 0 ? formatHoursMinutes(seconds) : '–'}</b>
            <span className="quiet">{formatDay(day, 'weekday')}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}

function EmptyTab({ tab }: { tab: MyWorkTab }) {
  return (
    <EmptyState text={myWorkMessages.empty[tab]}>
      <Button keys="mod+k" onClick={() => openPalette()}>
        {myWorkMessages.emptyAction}
      </Button>
    </EmptyState>
  )
}
