import { useState } from 'react'
import { nameOf, useBoot } from '../../data/boot.ts'
import {
  hiddenEntries,
  removeEntry,
  type TimeEntry,
  useTimeEntries,
} from '../../data/time-entries.ts'
import { formatDay, gutterDay } from '../../lib/day.ts'
import { clockOf, formatDuration } from '../../lib/duration.ts'
import { useSignal } from '../../lib/signal.ts'
import { m } from '../../messages/task.ts'
import { IconButton } from '../../ui/button.tsx'
import { Person } from '../../ui/person.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { TimerTime } from '../timer/timer-time.tsx'
import { useOpenTask } from './open-task.ts'
import { useRights } from './rights.ts'
import { Section } from './section.tsx'
import { EditTime, LogTime } from './time-form.tsx'

/** The time that was logged on the task, entry by entry, and a line to log more. */
export function TimeSection() {
  const { task } = useOpenTask()
  const { entries = [], error, retry } = useTimeEntries(task.id)
  const hidden = useSignal(hiddenEntries)
  const shown = entries.filter(({ id }) => !hidden.has(id))
  const count = shown.length === 0 ? '' : m.showTime(shown.length)
  return (
    <Section name="time" title={m.timeSpent} gutter={clockOf(task.time_spent_seconds)} end={count}>
      {error && <Trouble error={error} onRetry={retry} />}
      <ul className="time-entries">
        {shown.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      <LogTime />
    </Section>
  )
}

function Entry({ entry }: { entry: TimeEntry }) {
  const boot = useBoot()
  const { timeOf } = useRights()
  const [editing, setEditing] = useState(false)
  const { user_id, duration_seconds, spent_on, note, billable, started_at } = entry
  const name = nameOf(boot, user_id)
  const reason = timeOf(user_id)
  const words = [duration_seconds === null ? m.entryRunning : formatDuration(duration_seconds)]
  const text = [...words, formatDay(spent_on)].join(' ')
  if (editing) return <EditTime entry={entry} onDone={() => setEditing(false)} />
  return (
    <li className="line time-entry">
      <span className="gut">
        <time dateTime={spent_on} title={formatDay(spent_on, 'long')}>
          {gutterDay(spent_on)}
        </time>
      </span>
      <div>
        <span className="mono">
          {duration_seconds === null && started_at ? (
            <TimerTime since={started_at} />
          ) : (
            clockOf(duration_seconds ?? 0)
          )}
        </span>
        <Person name={name} me={user_id === boot.session.user.id} />
        <span className="clip">{note}</span>
        {billable && <span className="quiet">{m.billable}</span>}
        <span className="end">
          {duration_seconds !== null && (
            <IconButton
              icon="edit"
              label={m.editEntry(text)}
              reason={reason}
              onClick={() => setEditing(true)}
            />
          )}
          <IconButton
            icon="trash"
            label={m.deleteEntry(text)}
            reason={reason}
            onClick={() => removeEntry(entry)}
          />
        </span>
      </div>
    </li>
  )
}
