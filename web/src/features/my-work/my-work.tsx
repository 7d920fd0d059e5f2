import '../../styles/found-list.css'
import './my-work.css'
import { useSearch } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { useBoot } from '../../data/session/boot.ts'
import type { Task } from '../../data/tasks/task-patch.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { formatHoursMinutes } from '../../lib/dates/duration.ts'
import { formatDay, type PlainDate } from '../../lib/dates/plain-date.ts'
import { useToday } from '../../lib/dates/use-clock.ts'
import { formatNumber } from '../../messages/plural.ts'
import { myWorkMessages } from '../../messages/tasks/my-work.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { Button } from '../../ui/form/button.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { LongList } from '../../ui/layout/long-list.tsx'
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
import { type MyWorkTab, useMyTasks, useTabTasks } from './use-my-tasks.ts'
import { type RowFocus, useRowFocus } from './use-row-focus.ts'

const TABS = Object.keys(myWorkMessages.tabs) as MyWorkTab[]

/** The tasks of the signed-in user in all projects, by due date. */
export function MyWork() {
  const [tab, setTab] = useState<MyWorkTab>('mine')
  const { task } = useSearch({ from: '/w/$workspaceId' })
  const myTasks = useMyTasks(tab)
  useTitle(myWorkMessages.title)
  const tasks = useTabTasks(myTasks.ids, tab)
  const day = useToday()
  const ordered = useMemo(() => orderTasks(tasks, tab, day), [tasks, tab, day])
  const order = useMemo(() => ordered.map(getTaskId), [ordered])
  const { selection, ids, value } = useCreateCrossProjectSelection(order)
  const scroll = useRef<HTMLDivElement>(null)
  const rowFocus = useRowFocus(scroll, order)
  useCrossProjectShortcuts(rowFocus, value)
  const boot = useBoot('session', 'projects', 'members', 'former')
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
            <div className="gut">{myTasks.ids ? formatNumber(tasks.length) : ''}</div>
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
        <div className="scroll" ref={scroll}>
          {myTasks.error && <ErrorMessage error={myTasks.error} onRetry={myTasks.retry} />}
          {!myTasks.ids && !myTasks.error && <Skeleton rows={12} />}
          {myTasks.ids && tasks.length === 0 && !myTasks.loadMore && <EmptyTab tab={tab} />}
          {myTasks.ids && tasks.length > 0 && tab === 'mine' && <WeekWorkload tasks={tasks} />}
          {myTasks.ids && (
            <CrossProjectSelectionProvider value={value}>
              <Sections tasks={tasks} focused={rowFocus.focused} flat={tab === 'done'} />
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
      <TaskSidePanel shortId={task} siblings={ordered.map(({ short_id }) => short_id)} />
    </>
  )
}

/** The tasks in the order in which the screen shows them. */
function orderTasks(tasks: readonly Task[], tab: MyWorkTab, day: PlainDate): readonly Task[] {
  if (tab === 'done') return tasks
  const sections = groupByMyWorkSection(tasks, day)
  return MY_WORK_SECTIONS.flatMap((name) => sections.get(name) ?? [])
}

interface SectionsProps {
  tasks: readonly Task[]
  focused: RowFocus['focused']
  flat: boolean
}

function Sections({ tasks, focused, flat }: SectionsProps) {
  const day = useToday()
  const sections = useMemo(() => groupByMyWorkSection(tasks, day), [tasks, day])
  if (flat) return <TaskRows className="list my" {...{ tasks, focused }} />
  return MY_WORK_SECTIONS.map((name) => {
    const sectionTasks = sections.get(name) ?? []
    if (sectionTasks.length === 0) return null
    return (
      <section key={name} aria-labelledby={`my-${name}`} className="list my">
        <div className="row group">
          <span className="gut">{formatNumber(sectionTasks.length)}</span>
          <h2 className="what" id={`my-${name}`}>
            {myWorkMessages.sections[name]}
          </h2>
        </div>
        <TaskRows tasks={sectionTasks} focused={focused} />
      </section>
    )
  })
}

interface TaskRowsProps {
  tasks: readonly Task[]
  focused: RowFocus['focused']
  className?: string
}

const TaskRows = ({ tasks, ...attributes }: TaskRowsProps) => (
  <LongList name="my-work" rows={tasks} getId={getTaskId} {...attributes}>
    {({ id }) => <CrossProjectTaskRow id={id} />}
  </LongList>
)

const getTaskId = ({ id }: Task) => id

/** A bar for each day of the coming week: the hours left of the estimates. */
function WeekWorkload({ tasks }: { tasks: readonly Task[] }) {
  const workload = getWeekWorkload(tasks, useToday())
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
