import { type PointerEvent, useEffect, useRef } from 'react'
import { countDaysBetween, formatDay, type PlainDate } from '../../../lib/dates/plain-date.ts'
import { formatNumber as numberText } from '../../../messages/plural.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getTaskMark } from '../../../ui/marks/status-mark-name.ts'
import { dragWithPreview } from '../drag/pointer-drag.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { useTaskEntry } from '../rows/use-task-entry.ts'
import { rescheduleTask } from '../schedule/reschedule-task.ts'
import { canTakeFocus } from '../selection/cursor-focus.ts'
import { useRowSelectionState } from '../selection/list-selection.ts'

interface DayCellProps {
  day: PlainDate
  numbers: readonly number[]
  /** The number of tasks that fit; the rest is behind "+n more". */
  room: number
  /** Whether this is the current day, which Tab reaches together with its tasks. */
  isCurrent: boolean
  /** Whether the day belongs to another month. */
  outside: boolean
  onDay: (day: PlainDate) => void
  onOpen: (day: PlainDate, adding?: boolean) => void
}

/** A day of the grid: Enter opens it, Tab moves to its tasks. */
export function DayCell({ day, numbers, room, isCurrent, outside, onDay, onOpen }: DayCellProps) {
  const { filterContext, locked } = useProjectPageContext()
  const shown = numbers.length > room ? numbers.slice(0, room - 1) : numbers
  const rest = numbers.length - shown.length
  const tabIndex = isCurrent ? 0 : -1
  return (
    <div
      className="cal-day"
      role="gridcell"
      tabIndex={tabIndex}
      data-day={day}
      data-outside={outside || undefined}
      aria-current={day === filterContext.today ? 'date' : undefined}
      aria-selected={isCurrent}
      onFocus={({ target, currentTarget }) => target === currentTarget && !isCurrent && onDay(day)}
      onDoubleClick={({ target, currentTarget }) => {
        if (target === currentTarget && locked === undefined) onOpen(day, true)
      }}
    >
      <header>
        <span className="sr">{viewMessages.tasksOn(formatDay(day, 'long'), numbers.length)}</span>
        <span className="cal-no" aria-hidden="true">
          {numberText(Number(day.slice(8)))}
        </span>
        <button
          type="button"
          className="cal-add"
          tabIndex={tabIndex}
          aria-label={viewMessages.addOn(formatDay(day, 'long'))}
          title={locked ?? viewMessages.add}
          disabled={locked !== undefined}
          onClick={() => onOpen(day, true)}
        >
          +
        </button>
      </header>
      <ul>
        {shown.map((number) => (
          <CalendarTask key={number} number={number} day={day} tabIndex={tabIndex} />
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" className="link" tabIndex={tabIndex} onClick={() => onOpen(day)}>
          {viewMessages.more(rest)}
        </button>
      )}
    </div>
  )
}

function CalendarTask({
  number,
  day,
  tabIndex,
}: {
  number: number
  day: PlainDate
  tabIndex: 0 | -1
}) {
  const context = useProjectPageContext()
  const { project, selection } = context
  const { task, short_id, href, openInPanel } = useTaskEntry(number)
  const { cursor, selected } = useRowSelectionState(selection, number)
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (cursor && tabIndex === 0 && canTakeFocus('.cal-grid')) {
      link.current?.focus({ preventScroll: false })
    }
  }, [cursor, tabIndex])
  const startDrag = (event: PointerEvent<HTMLElement>) => {
    if (context.locked !== undefined || number < 0 || !task) return
    dragWithPreview(event, event.currentTarget, (under, _, drop) => {
      const to = under?.closest<HTMLElement>('[data-day]')?.dataset.day
      if (!drop || !to || to === day) return
      const days = countDaysBetween(day, to)
      rescheduleTask(context, number, { start: days, due: days })
    })
  }
  const mark = task && getTaskMark(project, task)
  return (
    <li
      className="cal-task"
      data-number={number}
      data-s={mark}
      data-selected={selected || undefined}
      onPointerDown={startDrag}
    >
      <a
        ref={link}
        tabIndex={tabIndex}
        href={href}
        data-open={short_id}
        draggable={false}
        title={task?.title}
        onFocus={() => selection.followFocus(number)}
        onClick={openInPanel}
      >
        {mark && <StatusMark mark={mark} />}
        <span className="sr">
          <ShortId id={short_id} />{' '}
        </span>
        <span className="clip title">{task?.title ?? short_id}</span>
      </a>
    </li>
  )
}
