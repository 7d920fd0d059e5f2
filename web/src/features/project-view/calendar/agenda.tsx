import { useState } from 'react'
import { formatDay, type PlainDate } from '../../../lib/dates/plain-date.ts'
import { useToday } from '../../../lib/dates/use-clock.ts'
import { timeMessages } from '../../../messages/app/time.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { Button } from '../../../ui/form/button.tsx'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getTaskMark } from '../../../ui/marks/status-mark-name.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { useTaskEntry } from '../rows/use-task-entry.ts'
import type { CalendarPeriod } from './calendar-days.ts'

interface AgendaProps {
  weeks: readonly (readonly PlainDate[])[]
  days: ReadonlyMap<PlainDate, readonly string[]>
  period: CalendarPeriod
  day: PlainDate
}

/** The maximum id of listed tasks of a period; nobody scrolls through more on a phone. */
export const MAX_AGENDA_TASKS = 300

/**
 * The days of a period that have tasks as a list, for phones. In the present one it begins today,
 * and does not end with the month.
 */
export function Agenda({ weeks, days, period, day }: AgendaProps) {
  const today = useToday()
  const [hasEarlier, setHasEarlier] = useState(false)
  const month = day.slice(0, 7)
  const isPresent = weeks.flat().includes(today) && (period === 'week' || today.startsWith(month))
  let remaining = MAX_AGENDA_TASKS
  const entries = weeks.flat().flatMap((one) => {
    const isInPeriod = period === 'week' || one.startsWith(month) || (isPresent && one >= today)
    const ids = isInPeriod ? (days.get(one) ?? []).slice(0, remaining) : []
    remaining -= ids.length
    return ids.length > 0 ? { date: one, ids } : []
  })
  const upcoming = entries.filter(({ date }) => date >= today)
  const hidden = isPresent && !hasEarlier ? entries.length - upcoming.length : 0
  return (
    <div className="scroll agenda">
      {hidden > 0 && (
        <Button kind="plain" onClick={() => setHasEarlier(true)}>
          {viewMessages.earlierDays(hidden)}
        </Button>
      )}
      {entries.length - hidden === 0 && <p className="plan-note">{viewMessages.nothingDue}</p>}
      {entries.slice(hidden).map(({ date, ids }) => (
        <section key={date} aria-label={formatDay(date, 'long')}>
          <h3>{date === today ? timeMessages.today : formatDay(date)}</h3>
          <ul>
            {ids.map((id) => (
              <AgendaEntry key={id} id={id} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function AgendaEntry({ id }: { id: string }) {
  const { projectOf } = useProjectPageContext()
  const { task, short_id, href, openInPanel } = useTaskEntry(id)
  const mark = task && getTaskMark(projectOf(task), task)
  return (
    <li data-task={id} data-number={task?.number}>
      <a href={href} data-open={short_id} onClick={openInPanel}>
        {mark && <StatusMark mark={mark} />}
        <span className="no">
          <ShortId id={short_id} />
        </span>
        <span className="clip">{task?.title}</span>
      </a>
    </li>
  )
}
