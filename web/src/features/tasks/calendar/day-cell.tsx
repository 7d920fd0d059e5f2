import { type PointerEvent, useEffect, useRef } from 'react'
import { idOfNumber, useTask } from '../../../data/task-store.ts'
import { daysBetween, formatDay, type PlainDate } from '../../../lib/day.ts'
import { number as numberText } from '../../../messages/plural.ts'
import { m } from '../../../messages/views.ts'
import { ShortId } from '../../../ui/short-id.tsx'
import { stampOf } from '../../../ui/stamp.ts'
import { StatusMark } from '../../../ui/status-mark.tsx'
import { useMarked } from '../marks.ts'
import { carrySlip } from '../plan/carry.ts'
import { move } from '../plan/reschedule.ts'
import { useScreen } from '../screen.ts'

interface Props {
  day: PlainDate
  numbers: readonly number[]
  /** So many of them are shown; the rest behind "+n more". */
  room: number
  /** The day at hand: Tab comes to it, and to its tasks. */
  at: boolean
  /** Of another month. */
  outside: boolean
  onDay: (day: PlainDate) => void
  onOpen: (day: PlainDate, adding?: boolean) => void
}

/** A day: Enter opens it, Tab leads to its tasks. */
export function DayCell({ day, numbers, room, at, outside, onDay, onOpen }: Props) {
  const { meaning, locked } = useScreen()
  const shown = numbers.length > room ? numbers.slice(0, room - 1) : numbers
  const rest = numbers.length - shown.length
  const tab = at ? 0 : -1
  return (
    <div
      className="cal-day"
      role="gridcell"
      tabIndex={tab}
      data-day={day}
      data-outside={outside || undefined}
      aria-current={day === meaning.today ? 'date' : undefined}
      aria-selected={at}
      onFocus={({ target, currentTarget }) => target === currentTarget && !at && onDay(day)}
      onDoubleClick={({ target, currentTarget }) => {
        if (target === currentTarget && locked === undefined) onOpen(day, true)
      }}
    >
      <header>
        <span className="sr">{m.tasksOn(formatDay(day, 'long'), numbers.length)}</span>
        <span className="cal-no" aria-hidden="true">
          {numberText(Number(day.slice(8)))}
        </span>
        <button
          type="button"
          className="cal-add"
          tabIndex={tab}
          aria-label={m.addOn(formatDay(day, 'long'))}
          title={locked ?? m.add}
          disabled={locked !== undefined}
          onClick={() => onOpen(day, true)}
        >
          +
        </button>
      </header>
      <ul>
        {shown.map((number) => (
          <Slip key={number} number={number} day={day} tab={tab} />
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" className="link" tabIndex={tab} onClick={() => onOpen(day)}>
          {m.more(rest)}
        </button>
      )}
    </div>
  )
}

function Slip({ number, day, tab }: { number: number; day: PlainDate; tab: 0 | -1 }) {
  const screen = useScreen()
  const { project, marks, open, pageOf } = screen
  const task = useTask(idOfNumber(project.id, number))
  const { cursor, selected } = useMarked(marks, number)
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    const { activeElement, body } = document
    const isFree = !activeElement || activeElement === body || activeElement.closest('.cal-grid')
    if (cursor && isFree && tab === 0) link.current?.focus({ preventScroll: false })
  }, [cursor, tab])
  const short_id = `${project.prefix}-${number}`
  const grasp = (event: PointerEvent<HTMLElement>) => {
    if (screen.locked !== undefined || number < 0 || !task) return
    carrySlip(event, event.currentTarget, (under, _, drop) => {
      const to = under?.closest<HTMLElement>('[data-day]')?.dataset.day
      if (!drop || !to || to === day) return
      const days = daysBetween(day, to)
      move(screen, number, { start: days, due: days })
    })
  }
  const mark = task && stampOf(project.statuses, task.status, task.status_category)
  return (
    <li
      className="cal-task"
      data-number={number}
      data-s={mark}
      data-selected={selected || undefined}
      onPointerDown={grasp}
    >
      <a
        ref={link}
        tabIndex={tab}
        href={number > 0 ? pageOf(short_id) : undefined}
        data-open={short_id}
        draggable={false}
        title={task?.title}
        onFocus={() => marks.cursor !== number && marks.moveTo(number)}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          if (number > 0) open(short_id)
        }}
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
