import { type KeyboardEvent, useEffect, useRef } from 'react'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { formatDay, isPlainDate, type PlainDate } from '../../../lib/dates/plain-date.ts'
import { viewer } from '../../../lib/locale/viewer.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { announce } from '../../../ui/feedback/announce.ts'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { useShortcuts } from '../../../ui/keyboard/use-shortcuts.ts'
import { MenuButton } from '../../../ui/overlays/menu-button.tsx'
import type { ListLayout } from '../layout/list-layout.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { rescheduleTask } from '../schedule/reschedule-task.ts'
import { UnscheduledTray } from '../schedule/unscheduled-tray.tsx'
import { useCursor } from '../selection/list-selection.ts'
import { Agenda } from './agenda.tsx'
import {
  CALENDAR_PERIODS,
  type CalendarPeriod,
  DAY_STEP_BY_KEY,
  shiftPeriod,
} from './calendar-days.ts'
import { DayCell } from './day-cell.tsx'
import { openDaySheet } from './day-sheet.tsx'

interface CalendarGridProps {
  view: ProjectView
  /** The current day; its month or week is shown. */
  day: PlainDate
  setDay: (day: PlainDate) => void
  period: CalendarPeriod
  setPeriod: (period: CalendarPeriod) => void
  weeks: readonly (readonly PlainDate[])[]
  days: ReadonlyMap<PlainDate, readonly string[]>
  without: readonly string[]
  readOnly: boolean
  /** The number of tasks that fit into a day. */
  room: number
  /** The tasks in sight. */
  layout: ListLayout
}

/** The days of a month or week as a grid with arrow key navigation; on phones as a list. */
export function CalendarGrid(props: CalendarGridProps) {
  const { view, day, setDay, period, setPeriod, weeks, days, without, readOnly, room, layout } =
    props
  const context = useProjectPageContext()
  const { title, filterContext, selection } = context
  // Renders again when the first day of the week or the date format changes.
  useAtom(viewer)
  const grid = useRef<HTMLDivElement>(null)
  const shouldFocusDay = useRef(false)
  useEffect(() => {
    if (shouldFocusDay.current)
      grid.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus()
    shouldFocusDay.current = false
  }, [day])
  const cursor = useCursor(selection)
  const isCursorInSight = cursor !== undefined && layout.indexOf(cursor) !== undefined
  const isOutside = (one: PlainDate) => period === 'month' && one.slice(0, 7) !== day.slice(0, 7)
  const cursorDay = isCursorInSight
    ? weeks.flat().find((one) => !isOutside(one) && days.get(one)?.includes(cursor))
    : undefined
  // The current day is that of the task under the cursor, but no task of another month shows that
  // month: its days would move under the pointer.
  useEffect(() => {
    if (cursorDay !== undefined) setDay(cursorDay)
  }, [cursorDay, setDay])
  /** Shows a day without a task under the cursor: keys must not change a task elsewhere. */
  const goToDay = (one: PlainDate) => {
    if (selection.cursor !== undefined) selection.moveCursor(undefined)
    setDay(one)
  }
  const openDialog = (one: PlainDate, adding = false) =>
    openDaySheet({ context, view, day: one, ids: days.get(one) ?? [], adding })
  const goToPeriod = (by: -1 | 1) => {
    const next = shiftPeriod(day, period, by)
    goToDay(next)
    announce(formatPeriod(next, period))
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    const { target } = event
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    if (!(target instanceof HTMLElement) || target.dataset.day === undefined) return
    if (event.key === 'Enter') {
      event.preventDefault()
      openDialog(day)
      return
    }
    const next = DAY_STEP_BY_KEY[event.key]?.(day)
    if (next === undefined || !isPlainDate(next)) return
    event.preventDefault()
    shouldFocusDay.current = true
    goToDay(next)
  }
  const canMove = () => isCursorInSight && !readOnly && context.locked === undefined
  const moveBy = (days: number) => () => {
    const id = selection.cursor
    const task = id === undefined ? undefined : getCachedTask(id)
    if (id === undefined || !task?.due_date) return
    rescheduleTask(context, id, { start: days, due: days })
    const due = getCachedTask(task.id)?.due_date
    if (due) setDay(due)
  }
  useShortcuts('part', viewMessages.keysCalendar, [
    {
      keys: 'alt+arrowright',
      label: viewMessages.further,
      when: canMove,
      repeats: true,
      run: moveBy(1),
    },
    {
      keys: 'alt+arrowleft',
      label: viewMessages.sooner,
      when: canMove,
      repeats: true,
      run: moveBy(-1),
    },
    {
      keys: 'alt+arrowdown',
      label: viewMessages.weekFurther,
      when: canMove,
      repeats: true,
      run: moveBy(7),
    },
    {
      keys: 'alt+arrowup',
      label: viewMessages.weekSooner,
      when: canMove,
      repeats: true,
      run: moveBy(-7),
    },
    { keys: 't', label: viewMessages.today, run: () => goToDay(filterContext.today) },
  ])
  return (
    <>
      <div className="plan-bar acts">
        <IconButton icon="left" label={viewMessages.previous} onClick={() => goToPeriod(-1)} />
        <IconButton icon="right" label={viewMessages.next} onClick={() => goToPeriod(1)} />
        <h2 className="plan-title">{formatPeriod(day, period)}</h2>
        <Button kind="plain" keys="t" onClick={() => goToDay(filterContext.today)}>
          {viewMessages.today}
        </Button>
        <MenuButton
          label={`${viewMessages.period}: ${viewMessages.periods[period]}`}
          items={CALENDAR_PERIODS.map((one) => ({
            id: one,
            label: viewMessages.periods[one],
            checked: one === period,
            run: () => {
              goToDay(day)
              setPeriod(one)
            },
          }))}
        >
          {viewMessages.periods[period]}
        </MenuButton>
      </div>
      {readOnly ? (
        <Agenda {...{ weeks, days, period, day }} />
      ) : (
        <div className="scroll">
          <div
            ref={grid}
            className="cal-grid"
            data-period={period}
            role="grid"
            aria-label={`${viewMessages.calendarOf(title)}, ${formatPeriod(day, period)}`}
            onKeyDown={handleKeyDown}
          >
            <div className="cal-week heads" role="row">
              {weeks[0]?.map((one) => (
                <div key={one} role="columnheader">
                  {formatDay(one, 'weekday')}
                </div>
              ))}
            </div>
            {weeks.map((week) => (
              <div key={week[0]} className="cal-week" role="row">
                {week.map((one) => (
                  <DayCell
                    key={one}
                    day={one}
                    ids={days.get(one) ?? NO_IDS}
                    room={room}
                    isCurrent={one === day}
                    outside={isOutside(one)}
                    cursor={cursor}
                    onDay={goToDay}
                    onOpen={openDialog}
                  />
                ))}
              </div>
            ))}
          </div>
        </div>
      )}
      <UnscheduledTray
        ids={without}
        label={viewMessages.noDue(without.length)}
        readOnly={readOnly}
        dayAt={(under) => under?.closest<HTMLElement>('[data-day]')?.dataset.day}
      />
      {readOnly && <p className="plan-note">{viewMessages.readOnly}</p>}
    </>
  )
}

const NO_IDS: readonly string[] = []

const formatPeriod = (day: PlainDate, period: CalendarPeriod) =>
  period === 'month'
    ? formatDay(day, 'month')
    : viewMessages.weekOf(formatDay(firstDayOfWeek(day), 'long'))

const firstDayOfWeek = (day: PlainDate): PlainDate => DAY_STEP_BY_KEY.Home?.(day) ?? day
