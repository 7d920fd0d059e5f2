import '../../styles/found-list.css'
import './my-work.css'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Fragment, useMemo, useRef } from 'react'
import { useBoot, useRight } from '../../data/session/boot.ts'
import { isTaskFinished, type Task } from '../../data/tasks/task-patch.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { formatDuration } from '../../lib/dates/duration.ts'
import { formatDay } from '../../lib/dates/plain-date.ts'
import { useToday } from '../../lib/dates/use-clock.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { formatNumber } from '../../messages/plural.ts'
import { projectMessages } from '../../messages/projects/projects.ts'
import { myWorkMessages } from '../../messages/tasks/my-work.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { Button } from '../../ui/form/button.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { LongList } from '../../ui/layout/long-list.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { openPalette } from '../palette/index.ts'
import { openCreateProjectDialog, useNoProjectsText } from '../projects/index.ts'
import { startNewTask } from '../shell/index.ts'
import { TaskSidePanel } from '../task-detail/index.ts'
import { TimerSlip } from '../timer/index.ts'
import { CrossProjectBulkBar } from './cross-project-bulk-bar.tsx'
import { type CrossProjectBoot, getLockReason, moveToToday } from './cross-project-commands.ts'
import {
  CrossProjectSelectionProvider,
  useCreateCrossProjectSelection,
} from './cross-project-selection.ts'
import { CrossProjectTaskRow } from './cross-project-task-row.tsx'
import {
  getWeekWorkload,
  groupByMyWorkSection,
  MY_WORK_SECTIONS,
  type MyWorkSection,
  sumRemainingSeconds,
} from './my-work-sections.ts'
import { useTodayOrder } from './today-order.ts'
import { useCrossProjectShortcuts } from './use-cross-project-shortcuts.ts'
import { type MyWorkTab, useMyTasks, useTabTasks } from './use-my-tasks.ts'
import { type RowFocus, useRowFocus } from './use-row-focus.ts'
import { useTodayMoves } from './use-today-moves.ts'

const TABS = Object.keys(myWorkMessages.tabs) as MyWorkTab[]

/** The tasks of the signed-in user in all projects, by due date. */
export function MyWork() {
  const { view: tab = 'mine', task } = useSearch({ from: '/w/$workspaceId/my' })
  const myTasks = useMyTasks(tab)
  useTitle(myWorkMessages.title)
  const boot = useBoot('session', 'projects', 'members', 'former')
  const tasks = useTabTasks(myTasks.ids, tab, boot.session.user.id)
  const day = useToday()
  const workspaceId = boot.session.workspace.id
  const todayOrder = useTodayOrder(workspaceId)
  const sections = useMemo(
    () => (tab === 'done' ? undefined : groupByMyWorkSection(tasks, day, todayOrder)),
    [tasks, tab, day, todayOrder],
  )
  const ordered = useMemo(
    () => (sections ? MY_WORK_SECTIONS.flatMap((name) => sections.get(name) ?? []) : tasks),
    [sections, tasks],
  )
  const order = useMemo(() => ordered.map(getTaskId), [ordered])
  const { selection, ids, value } = useCreateCrossProjectSelection(order)
  const scroll = useRef<HTMLDivElement>(null)
  const rowFocus = useRowFocus(scroll, order)
  useCrossProjectShortcuts(rowFocus, value)
  const todayIds = sections?.get('today')?.map(getTaskId) ?? NO_IDS
  // Another view lists only some of today's tasks, from which no order of all of them follows.
  const startTodayDrag = useTodayMoves(boot, tab === 'mine' ? todayIds : NO_IDS, rowFocus)
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
            <div className="acts">
              <Button kind="primary" className="only-wide" keys="c" onClick={() => startNewTask()}>
                {shellMessages.newTask}
              </Button>
            </div>
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
                <Link
                  key={name}
                  to="/w/$workspaceId/my"
                  params={{ workspaceId }}
                  search={{ view: name === 'mine' ? undefined : name }}
                  // Otherwise the address of another view counts as one of Today, too.
                  activeOptions={{ explicitUndefined: true }}
                >
                  {myWorkMessages.tabs[name]}
                </Link>
              ))}
            </nav>
          </div>
        </header>
        <div className="scroll" ref={scroll}>
          <TimerSlip className="my-timer" />
          {myTasks.error && <ErrorMessage error={myTasks.error} onRetry={myTasks.retry} />}
          {!myTasks.ids && !myTasks.error && <Skeleton rows={12} />}
          {myTasks.ids && tasks.length === 0 && !myTasks.loadMore && <EmptyTab tab={tab} />}
          {myTasks.ids && (
            <CrossProjectSelectionProvider value={value}>
              {sections ? (
                <div onPointerDown={tab === 'mine' ? startTodayDrag : undefined}>
                  {MY_WORK_SECTIONS.map((name) => (
                    <Fragment key={name}>
                      {name === 'soon' && tab === 'mine' && <WeekWorkload tasks={tasks} />}
                      <Section
                        {...{ name, boot }}
                        tasks={sections.get(name) ?? []}
                        overdue={sections.get('overdue') ?? []}
                        isPlanned={name === 'today' && tab === 'mine' && tasks.length > 0}
                        focused={rowFocus.focused}
                      />
                    </Fragment>
                  ))}
                </div>
              ) : (
                <TaskRows className="list my" tasks={tasks} focused={rowFocus.focused} />
              )}
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

const NO_IDS: readonly string[] = []

interface SectionProps {
  name: MyWorkSection
  boot: CrossProjectBoot
  tasks: readonly Task[]
  overdue: readonly Task[]
  /** Whether tasks can be dragged here, so that it is shown without tasks, too. */
  isPlanned: boolean
  focused: RowFocus['focused']
}

function Section({ name, boot, tasks, overdue, isPlanned, focused }: SectionProps) {
  if (tasks.length === 0 && !isPlanned) return null
  return (
    <section aria-labelledby={`my-${name}`} className="list my" data-section={name}>
      <div className="row group">
        <span className="gut">{formatNumber(tasks.length)}</span>
        <span className="what">
          <h2 id={`my-${name}`}>{myWorkMessages.sections[name]}</h2>
          {name === 'overdue' && <MoveToToday boot={boot} tasks={tasks} />}
          {name === 'today' && <TodayLoad tasks={tasks} overdue={overdue} />}
        </span>
      </div>
      {tasks.length === 0 ? (
        <p className="line">
          <span className="gut" />
          <span className="quiet">{myWorkMessages.emptyToday}</span>
        </p>
      ) : (
        <TaskRows tasks={tasks} focused={focused} />
      )}
    </section>
  )
}

/** Makes all overdue tasks due today. What was finished meanwhile stays as it is. */
function MoveToToday({ boot, tasks }: { boot: CrossProjectBoot; tasks: readonly Task[] }) {
  const open = tasks.filter((task) => !isTaskFinished(task) && !getLockReason(boot, [task]))
  const day = useToday()
  if (open.length === 0) return null
  return (
    <Button kind="plain" onClick={() => moveToToday(boot, open, day)}>
      {myWorkMessages.toToday}
    </Button>
  )
}

/** The hours that are left of the estimates of today's tasks and of the overdue ones: today's bar. */
function TodayLoad({ tasks, overdue }: Pick<SectionProps, 'tasks' | 'overdue'>) {
  const late = sumRemainingSeconds(overdue)
  const seconds = sumRemainingSeconds(tasks) + late
  if (seconds === 0) return null
  return (
    <span className="time" title={myWorkMessages.todayLoadHint}>
      {myWorkMessages.todayLoad(formatDuration(seconds), late > 0 ? formatDuration(late) : '')}
    </span>
  )
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
        {formatDuration(workload.reduce((sum, { seconds }) => sum + seconds, 0))}
      </span>
      <ol aria-label={myWorkMessages.load}>
        {workload.map(({ day, seconds }) => (
          <li key={day}>
            <span className="bar-of" style={{ blockSize: `${(seconds / max) * 100}%` }} />
            <b className="mono">{seconds > 0 ? formatDuration(seconds) : '–'}</b>
            <span className="quiet">{formatDay(day, 'weekday')}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}

function EmptyTab({ tab }: { tab: MyWorkTab }) {
  const { projects } = useBoot('projects')
  const canCreate = useRight('shape_projects')
  const canInvite = useRight('manage_workspace')
  const noProjectsText = useNoProjectsText()
  if (canCreate && !projects.some(({ status }) => status === 'active'))
    return <NoProject canInvite={canInvite} />
  return (
    <EmptyState text={noProjectsText ?? myWorkMessages.empty[tab]}>
      <Button keys="mod+k" onClick={() => openPalette()}>
        {myWorkMessages.emptyAction}
      </Button>
    </EmptyState>
  )
}

/** What begins a workspace: its first project, and the people in it. */
function NoProject({ canInvite }: { canInvite: boolean }) {
  const navigate = useNavigate()
  const params = { workspaceId: useBoot('session').session.workspace.id }
  const create = () =>
    openCreateProjectDialog(({ prefix }) => {
      const to = '/w/$workspaceId/p/$prefix'
      void navigate({ to, params: { ...params, prefix }, search: {} })
    })
  return (
    <EmptyState text={myWorkMessages.noProject}>
      <Button kind="primary" icon="plus" onClick={create}>
        {projectMessages.create}
      </Button>
      {canInvite && (
        <Link
          className="btn"
          to="/w/$workspaceId/settings/$section"
          params={{ ...params, section: 'members' }}
          search={{}}
        >
          {myWorkMessages.invite}
        </Link>
      )}
    </EmptyState>
  )
}
