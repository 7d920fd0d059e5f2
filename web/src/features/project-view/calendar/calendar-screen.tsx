import '../schedule/plan-screen.css'
import './calendar-screen.css'
import { Suspense, useMemo, useState } from 'react'
import { getCachedTask, useTasksRevision } from '../../../data/tasks/task-store.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { TaskSidePanel } from '../../task-detail/index.ts'
import { useTasks } from '../grouping/use-tasks.ts'
import { MoreMenu } from '../header/more-menu.tsx'
import { ProjectHeader } from '../header/project-header.tsx'
import { ListLayout } from '../layout/list-layout.ts'
import {
  LazyNoTasks,
  LazyRetainSelection,
  usePreloadDeferred,
} from '../lazy/deferred-components.ts'
import type { ProjectScreenProps } from '../list/list-screen.tsx'
import { useListKeys } from '../list/use-list-keys.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { QuickAddContext, type QuickAddState } from '../quick-add/quick-add-context.ts'
import { TaskSpans } from '../schedule/task-spans.ts'
import { useReadOnly } from '../schedule/use-read-only.ts'
import { useCursor } from '../selection/list-selection.ts'
import { useSiblings } from '../selection/use-siblings.ts'
import { MAX_AGENDA_TASKS } from './agenda.tsx'
import {
  type CalendarPeriod,
  groupByDueDay,
  listFittingTasks,
  TASKS_PER_DAY,
  weeksAround,
  weeksOfAgenda,
} from './calendar-days.ts'
import { CalendarGrid } from './calendar-grid.tsx'
import { openDaySheet } from './day-sheet.tsx'

/** The tasks of a project by due date: a month or a week. */
export function CalendarScreen({ view, setView, open }: ProjectScreenProps) {
  const context = useProjectPageContext()
  const { title, filterContext, selection } = context
  const { list, error, retry } = useTasks(context, view)
  const readOnly = useReadOnly()
  const [day, setDay] = useState(filterContext.today)
  const [period, setPeriod] = useState<CalendarPeriod>('month')
  const cursor = useCursor(selection)
  const room = readOnly ? MAX_AGENDA_TASKS : TASKS_PER_DAY[period]
  const spans = useMemo(() => new TaskSpans(getCachedTask, []), [])
  const revision = useTasksRevision()
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded tasks tell their own dates
  const { days, without } = useMemo(
    () => (list ? groupByDueDay(list, spans) : { days: NO_DAYS, without: [] }),
    [list, spans, revision],
  )
  const { today } = filterContext
  const weeks = useMemo(
    () => (readOnly ? weeksOfAgenda(day, period, today) : weeksAround(day, period)),
    [readOnly, day, period, today],
  )
  // Keys reach only the tasks that are in sight.
  const layout = useMemo(() => {
    const lines = weeks
      .flat()
      .flatMap((one) => listFittingTasks(days.get(one), room, cursor))
      .map((id) => ({ id, depth: 0 }))
    return new ListLayout(
      [{ ...EMPTY_SECTION, label: viewMessages.calendarOf(title), lines }],
      false,
    )
  }, [weeks, days, title, room, cursor])
  const order = useMemo(() => weeks.flat().flatMap((one) => days.get(one) ?? []), [weeks, days])
  const adding = useMemo(
    (): QuickAddState => ({
      place: undefined,
      begin: ({ parent }) =>
        openDaySheet({
          context,
          view,
          day,
          parent,
          ids: days.get(day) ?? [],
          adding: true,
        }),
      end: () => undefined,
    }),
    [context, view, day, days],
  )
  usePreloadDeferred()
  useListKeys({ context, view, setView, layout, adding, open })
  const isFilteredEmpty = list?.total === 0 && view.filter.length > 0
  return (
    <>
      <main className="paper" id="work">
        <QuickAddContext value={adding}>
          <ProjectHeader {...{ view, setView }} list={list} more={<MoreMenu view={view} />} />
          {error !== undefined && <ErrorMessage error={error} onRetry={retry} />}
          {!list && error === undefined && (
            <div className="scroll">
              <Skeleton rows={18} />
            </div>
          )}
          <Suspense>
            <LazyRetainSelection layout={layout} list={list} />
          </Suspense>
          {isFilteredEmpty && (
            <Suspense>
              <LazyNoTasks {...{ view, setView, list }} />
            </Suspense>
          )}
          {list && !isFilteredEmpty && (
            <CalendarGrid
              {...{
                view,
                day,
                setDay,
                period,
                setPeriod,
                weeks,
                days,
                without,
                readOnly,
                room,
                layout,
              }}
            />
          )}
        </QuickAddContext>
      </main>
      <TaskSidePanel shortId={open} siblings={useSiblings({ order }, open)} />
    </>
  )
}

const NO_DAYS = new Map<string, string[]>()
const EMPTY_SECTION = {
  key: 'all',
  count: 0,
  estimate: 0,
  remaining: 0,
  spent: 0,
  folded: false,
  adding: false,
}
