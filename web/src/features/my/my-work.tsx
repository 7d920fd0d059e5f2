import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import type { listTasks } from '#resources/tasks/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { useBoot } from '../../data/boot.ts'
import { putTasks, taskOf, useTasksRevision } from '../../data/task-store.ts'
import { call, type Sent } from '../../lib/call.ts'
import { addDays, formatDay, today } from '../../lib/day.ts'
import { clockOf } from '../../lib/duration.ts'
import { useTitle } from '../../lib/title.ts'
import { m } from '../../messages/my.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { openPalette } from '../palette/open.ts'
import { PanelBeside } from '../task/beside.tsx'
import { useLineKeys } from './line-keys.ts'
import { PickedOf, useNewPicked } from './picked.ts'
import { PickedBar } from './picked-bar.tsx'
import { bySection, loadOf, SECTIONS } from './sections.ts'
import { TaskLine } from './task-line.tsx'

type Tab = keyof typeof m.tabs
const TABS = Object.keys(m.tabs) as Tab[]
type Query = NonNullable<Sent<typeof listTasks>['query']>

const MOST_SELECTED = 10_000

const OPEN = { completed: false, status_category: ['backlog', 'unstarted', 'started'] } as const

/** What a tab asks for. */
function queryOf(tab: Tab): Query {
  const page = { limit: 100 }
  if (tab === 'created') return { ...page, ...open(), created_by_id: ['me'] }
  if (tab === 'done') {
    const completed_after = `${addDays(today(), -30)}T00:00:00Z`
    return { ...page, assignee_id: ['me'], completed: true, completed_after, sort: '-updated_at' }
  }
  return { ...page, ...open(), assignee_id: ['me'], sort: 'due_date' }
}

const open = (): Query => ({ ...OPEN, status_category: [...OPEN.status_category] })

/** What waits for the person: over all projects, by day. */
export function MyWork() {
  const [tab, setTab] = useState<Tab>('mine')
  const { task } = useSearch({ from: '/w/$workspaceId' })
  const found = useMyTasks(tab)
  useTitle(m.title)
  const tasks = useShown(found.ids, tab)
  const order = useMemo(() => inOrder(tasks, tab), [tasks, tab])
  const { picked, ids, value } = useNewPicked(order)
  const list = useRef<HTMLDivElement>(null)
  useLineKeys(list, value)
  const boot = useBoot()
  const chosen = tasks.filter(({ id }) => ids.has(id))
  const all = async () => {
    const every = found.more ? await found.readAll() : []
    picked.set(new Set([...order, ...every]))
  }
  return (
    <>
      <main className="paper" id="work">
        <header className="head">
          <div className="head-top">
            <div className="gut">{found.ids ? tasks.length : ''}</div>
            <h1>{m.title}</h1>
          </div>
          {chosen.length > 0 && (
            <PickedBar
              boot={boot}
              tasks={chosen}
              all={chosen.length < order.length || found.more ? () => void all() : undefined}
              clear={() => picked.set([])}
            />
          )}
          <div className="head-bar" style={chosen.length > 0 ? { display: 'none' } : undefined}>
            <div className="gut" />
            <nav className="views" aria-label={m.views}>
              {TABS.map((name) => (
                <button
                  key={name}
                  type="button"
                  aria-current={name === tab ? 'page' : undefined}
                  onClick={() => setTab(name)}
                >
                  {m.tabs[name]}
                </button>
              ))}
            </nav>
          </div>
        </header>
        <div className="scroll" ref={list}>
          {found.error && <Trouble error={found.error} onRetry={found.retry} />}
          {!found.ids && !found.error && <Skeleton rows={12} />}
          {found.ids && tasks.length === 0 && <Nothing tab={tab} />}
          {found.ids && tasks.length > 0 && tab === 'mine' && <Load tasks={tasks} />}
          {found.ids && (
            <PickedOf value={value}>
              <Sections tasks={tasks} flat={tab === 'done'} />
            </PickedOf>
          )}
          {found.more && (
            <p className="line">
              <span className="gut" />
              <span>
                <button type="button" className="btn" onClick={found.more}>
                  {m.more}
                </button>
              </span>
            </p>
          )}
        </div>
      </main>
      <PanelBeside shortId={task} siblings={tasks.map(({ short_id }) => short_id)} />
    </>
  )
}

/** The order in which the tasks stand on the screen. */
function inOrder(tasks: readonly Task[], tab: Tab): string[] {
  if (tab === 'done') return tasks.map(({ id }) => id)
  const sections = bySection(tasks, today())
  return SECTIONS.flatMap((name) => (sections.get(name) ?? []).map(({ id }) => id))
}

/** Reads on to the end, or to as many as can be selected together. */
async function allOf(
  next: () => Promise<{ data?: { pages: { ids: string[] }[] } | undefined; hasNextPage: boolean }>,
) {
  for (;;) {
    const { data, hasNextPage } = await next()
    const ids = data?.pages.flatMap((page) => page.ids) ?? []
    if (!hasNextPage || ids.length >= MOST_SELECTED) return ids
  }
}

/** The ids of a tab's tasks as they were read; what they show now is in the store. */
function useMyTasks(tab: Tab) {
  const read = useInfiniteQuery({
    queryKey: ['tasks', 'my', tab === 'blocked' ? 'mine' : tab],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...queryOf(tab), ...(pageParam && { cursor: pageParam }) }
      const page = await call<typeof listTasks>('GET /api/v1/tasks', { query }, { signal })
      putTasks(page.data)
      return { ids: page.data.map(({ id }) => id), next: page.next_cursor }
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const ids = useMemo(() => read.data?.pages.flatMap((page) => page.ids), [read.data])
  return {
    ids,
    error: read.error,
    retry: () => void read.refetch(),
    /** The ids of all pages. */
    readAll: () => allOf(read.fetchNextPage),
    more: read.hasNextPage ? () => void read.fetchNextPage() : undefined,
  }
}

/** A task that was just completed stays until the list is read again; one that was deleted goes at once. */
function useShown(ids: readonly string[] = [], tab: Tab): Task[] {
  const revision = useTasksRevision()
  return useMemo(() => {
    const tasks = ids.flatMap((id) => (revision >= 0 ? (taskOf(id) ?? []) : []))
    return tab === 'blocked'
      ? tasks.filter(({ blocked_by_ids }) => blocked_by_ids.length > 0)
      : tasks
  }, [ids, tab, revision])
}

function Sections({ tasks, flat }: { tasks: readonly Task[]; flat: boolean }) {
  if (flat) {
    return (
      <ul className="list my">
        {tasks.map(({ id }) => (
          <TaskLine key={id} id={id} />
        ))}
      </ul>
    )
  }
  const sections = bySection(tasks, today())
  return SECTIONS.map((name) => {
    const found = sections.get(name) ?? []
    if (found.length === 0) return null
    return (
      <section key={name} aria-labelledby={`my-${name}`} className="list my">
        <div className="row group">
          <span className="gut">{found.length}</span>
          <h2 className="what" id={`my-${name}`}>
            {m.sections[name]}
          </h2>
        </div>
        <ul>
          {found.map(({ id }) => (
            <TaskLine key={id} id={id} />
          ))}
        </ul>
      </section>
    )
  })
}

/** The coming week: how much of the estimates is left, by day. */
function Load({ tasks }: { tasks: readonly Task[] }) {
  const load = loadOf(tasks, today())
  const most = Math.max(...load.map(({ seconds }) => seconds))
  if (most === 0) return null
  return (
    <div className="line week-load">
      <span className="gut">{clockOf(load.reduce((sum, { seconds }) => sum + seconds, 0))}</span>
      <ol aria-label={m.load}>
        {load.map(({ day, seconds }) => (
          <li key={day}>
            <span className="bar-of" style={{ blockSize: `${(seconds / most) * 100}%` }} />
            <b className="mono">{seconds > 0 ? clockOf(seconds) : '–'}</b>
            <span className="quiet">{formatDay(day, 'weekday')}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}

function Nothing({ tab }: { tab: Tab }) {
  return (
    <Empty text={m.empty[tab]}>
      <Button keys="mod+k" onClick={() => openPalette()}>
        {m.emptyAction}
      </Button>
    </Empty>
  )
}
