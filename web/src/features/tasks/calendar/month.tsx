import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { Rows } from '../../../data/task-rows.ts'
import { taskOf, useTasksRevision } from '../../../data/task-store.ts'
import { formatDay, isDay, type PlainDate } from '../../../lib/day.ts'
import { useSignal } from '../../../lib/signal.ts'
import { viewer } from '../../../lib/viewer.ts'
import { m } from '../../../messages/views.ts'
import { announce } from '../../../ui/announce.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { useKeys } from '../../../ui/keys.ts'
import { MenuButton } from '../../../ui/menu.tsx'
import { taskAt } from '../act.tsx'
import { move } from '../plan/reschedule.ts'
import { Tray } from '../plan/tray.tsx'
import { useScreen } from '../screen.ts'
import type { View } from '../view.ts'
import { AGENDA, Agenda } from './agenda.tsx'
import { DayCell } from './day-cell.tsx'
import { openDay } from './day-sheet.tsx'
import { PERIODS, type Period, STEPS, turned } from './days.ts'

interface Props {
  view: View
  /** The day at hand; its month or week is shown. */
  day: PlainDate
  setDay: (day: PlainDate) => void
  period: Period
  setPeriod: (period: Period) => void
  weeks: readonly (readonly PlainDate[])[]
  days: ReadonlyMap<PlainDate, readonly number[]>
  without: readonly number[]
  readOnly: boolean
}

/** Tasks that a day has room for, as the days of a month and of a week are high. */
const ROOM: Record<Period, number> = { month: 3, week: 14 }

/** The days of a month or week as a grid through which arrows lead; on a phone a list. */
export function Month(props: Props) {
  const { view, day, setDay, period, setPeriod, weeks, days, without, readOnly } = props
  const screen = useScreen()
  const { project, meaning, marks } = screen
  // How weeks begin and days are written.
  useSignal(viewer)
  useTasksRevision()
  const [, note] = useState(0)
  const rows = useMemo(() => new Rows(project.id, () => note((n) => n + 1)), [project.id])
  const grid = useRef<HTMLDivElement>(null)
  const follows = useRef(false)
  const room = readOnly ? AGENDA : ROOM[period]
  const wanted = weeks
    .flat()
    .flatMap((one) => (days.get(one) ?? []).slice(0, room))
    .slice(0, AGENDA)
    .join()
  useEffect(() => {
    if (wanted) rows.want(wanted.split(',').map(Number))
  }, [rows, wanted])
  useEffect(() => {
    if (follows.current) grid.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus()
    follows.current = false
  }, [day])
  const show = (one: PlainDate, adding = false) =>
    openDay({ screen, view, day: one, numbers: days.get(one) ?? [], adding })
  const turn = (by: -1 | 1) => {
    const next = turned(day, period, by)
    setDay(next)
    announce(titleOf(next, period))
  }
  const press = (event: KeyboardEvent) => {
    const { target } = event
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    if (!(target instanceof HTMLElement) || target.dataset.day === undefined) return
    if (event.key === 'Enter') {
      event.preventDefault()
      show(day)
      return
    }
    const next = STEPS[event.key]?.(day)
    if (next === undefined || !isDay(next)) return
    event.preventDefault()
    follows.current = true
    setDay(next)
  }
  const on = () => marks.cursor !== undefined && !readOnly && screen.locked === undefined
  const by = (days: number) => () => {
    const number = marks.cursor
    const task = number === undefined ? undefined : taskAt(screen, number)
    if (number === undefined || !task?.due_date) return
    move(screen, number, { start: days, due: days })
    const due = taskOf(task.id)?.due_date
    if (due) setDay(due)
  }
  useKeys(m.keysCalendar, [
    { keys: 'alt+arrowright', label: m.further, when: on, repeats: true, run: by(1) },
    { keys: 'alt+arrowleft', label: m.sooner, when: on, repeats: true, run: by(-1) },
    { keys: 'alt+arrowdown', label: m.weekFurther, when: on, repeats: true, run: by(7) },
    { keys: 'alt+arrowup', label: m.weekSooner, when: on, repeats: true, run: by(-7) },
    { keys: 't', label: m.today, run: () => setDay(meaning.today) },
  ])
  return (
    <>
      <div className="plan-bar acts">
        <IconButton icon="left" label={m.previous} onClick={() => turn(-1)} />
        <IconButton icon="right" label={m.next} onClick={() => turn(1)} />
        <h2 className="plan-title">{titleOf(day, period)}</h2>
        <Button kind="plain" keys="t" onClick={() => setDay(meaning.today)}>
          {m.today}
        </Button>
        <MenuButton
          label={`${m.period}: ${m.periods[period]}`}
          items={PERIODS.map((one) => ({
            ...{ id: one, label: m.periods[one], checked: one === period },
            run: () => setPeriod(one),
          }))}
        >
          {m.periods[period]}
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
            aria-label={`${m.calendarOf(project.name)}, ${titleOf(day, period)}`}
            onKeyDown={press}
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
                    numbers={days.get(one) ?? NONE}
                    room={room}
                    at={one === day}
                    outside={period === 'month' && one.slice(0, 7) !== day.slice(0, 7)}
                    onDay={setDay}
                    onOpen={show}
                  />
                ))}
              </div>
            ))}
          </div>
        </div>
      )}
      <Tray
        numbers={without}
        label={m.noDue(without.length)}
        {...{ rows, readOnly }}
        dayAt={(under) => under?.closest<HTMLElement>('[data-day]')?.dataset.day}
      />
      {readOnly && <p className="plan-note">{m.readOnly}</p>}
    </>
  )
}

const NONE: readonly number[] = []

const titleOf = (day: PlainDate, period: Period) =>
  period === 'month' ? formatDay(day, 'month') : m.weekOf(formatDay(weekBegin(day), 'long'))

const weekBegin = (day: PlainDate): PlainDate => STEPS.Home?.(day) ?? day
