import { type PointerEvent, useEffect, useRef } from 'react'
import { getCachedTask, isTempId } from '../../../data/tasks/task-store.ts'
import { countDaysBetween, formatDay, type PlainDate } from '../../../lib/dates/plain-date.ts'
import { formatNumber as numberText } from '../../../messages/plural.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getTaskMark } from '../../../ui/marks/status-mark-name.ts'
import { dragWithPreview } from '../../../ui/pointer/pointer-drag.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { useTaskEntry } from '../rows/use-task-entry.ts'
import { rescheduleTask } from '../schedule/reschedule-task.ts'
import { canTakeFocus } from '../selection/cursor-focus.ts'
import { useRowSelectionState } from '../selection/list-selection.ts'
import { listFittingTasks } from './calendar-days.ts'

interface DayCellProps {
  day: PlainDate
  ids: readonly string[]
  /** The number of tasks that fit; the rest is behind "+n more". */
  room: number
  /** Whether this is the current day, which Tab reaches together with its tasks. */
  isCurrent: boolean
  /** Whether the day belongs to another month. */
  outside: boolean
  /** The task under the cursor, which is shown even if it does not fit. */
  cursor: string | undefined
  onDay: (day: PlainDate) => void
  onOpen: (day: PlainDate, adding?: boolean) => void
}

/** A day of the grid: Enter opens it, Tab moves to its tasks. */
export function DayCell(props: DayCellProps) {
  const { day, ids, room, isCurrent, outside, cursor, onDay, onOpen } = props
  const { filterContext, locked } = useProjectPageContext()
  const shown = listFittingTasks(ids, room, cursor)
  const rest = ids.length - shown.length
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
      onFocus={({ target }) => !target.closest('[data-task]') && onDay(day)}
      onDoubleClick={({ target, currentTarget }) => {
        if (target === currentTarget && locked === undefined) onOpen(day, true)
      }}
    >
      <header>
        <span className="sr">{viewMessages.tasksOn(formatDay(day, 'long'), ids.length)}</span>
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
        {shown.map((id) => (
          <CalendarTask key={id} id={id} tabIndex={tabIndex} />
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

function CalendarTask({ id, tabIndex }: { id: string; tabIndex: 0 | -1 }) {
  const context = useProjectPageContext()
  const { projectOf, selection } = context
  const { task, short_id, href, openInPanel } = useTaskEntry(id)
  const { cursor, selected, open } = useRowSelectionState(selection, id)
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (cursor && canTakeFocus('.cal-grid', link.current)) {
      link.current?.focus({ preventScroll: false })
    }
  }, [cursor])
  const startDrag = (event: PointerEvent<HTMLElement>) => {
    if (context.locked !== undefined || !task || isTempId(id)) return
    dragWithPreview(event, event.currentTarget, (under, _, drop) => {
      const to = under?.closest<HTMLElement>('[data-day]')?.dataset.day
      // Its date may have changed while it was dragged.
      const due = getCachedTask(id)?.due_date
      if (!drop || !to || !due || to === due) return
      const days = countDaysBetween(due, to)
      rescheduleTask(context, id, { start: days, due: days })
    })
  }
  const mark = task && getTaskMark(projectOf(task), task)
  return (
    <li
      className="cal-task"
      data-task={id}
      data-number={task?.number}
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
        aria-current={open || undefined}
        onFocus={() => selection.followFocus(id)}
        onClick={openInPanel}
      >
        {mark && <StatusMark mark={mark} />}
        <span className="sr">
          {selected && `${viewMessages.selected}, `}
          <ShortId id={short_id} />{' '}
        </span>
        <span className="clip title">{task?.title ?? short_id}</span>
      </a>
    </li>
  )
}
