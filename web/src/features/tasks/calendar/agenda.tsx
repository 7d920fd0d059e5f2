import { idOfNumber, useTask } from '../../../data/task-store.ts'
import { formatDay, type PlainDate } from '../../../lib/day.ts'
import { m } from '../../../messages/views.ts'
import { ShortId } from '../../../ui/short-id.tsx'
import { stampOf } from '../../../ui/stamp.ts'
import { StatusMark } from '../../../ui/status-mark.tsx'
import { useScreen } from '../screen.ts'
import type { Period } from './days.ts'

interface Props {
  weeks: readonly (readonly PlainDate[])[]
  days: ReadonlyMap<PlainDate, readonly number[]>
  period: Period
  day: PlainDate
}

/** So many tasks of a period are listed: on a phone nobody scrolls through more. */
export const AGENDA = 300

/** The days of a period that have tasks, one under the other: for phones. */
export function Agenda({ weeks, days, period, day }: Props) {
  const month = day.slice(0, 7)
  let left = AGENDA
  const shown = weeks.flat().flatMap((one) => {
    const isOf = period === 'week' || one.startsWith(month)
    const numbers = isOf ? (days.get(one) ?? []).slice(0, left) : []
    left -= numbers.length
    return numbers.length > 0 ? { one, numbers } : []
  })
  return (
    <div className="scroll agenda">
      {shown.length === 0 && <p className="plan-note">{m.nothingDue}</p>}
      {shown.map(({ one, numbers }) => (
        <section key={one} aria-label={formatDay(one, 'long')}>
          <h3>{formatDay(one)}</h3>
          <ul>
            {numbers.map((number) => (
              <Entry key={number} number={number} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function Entry({ number }: { number: number }) {
  const { project, open, pageOf } = useScreen()
  const task = useTask(idOfNumber(project.id, number))
  const short_id = `${project.prefix}-${number}`
  const mark = task && stampOf(project.statuses, task.status, task.status_category)
  return (
    <li data-number={number}>
      <a
        href={number > 0 ? pageOf(short_id) : undefined}
        onClick={(event) => {
          event.preventDefault()
          if (number > 0) open(short_id)
        }}
      >
        {mark && <StatusMark mark={mark} />}
        <span className="no">
          <ShortId id={short_id} />
        </span>
        <span className="clip">{task?.title}</span>
      </a>
    </li>
  )
}
