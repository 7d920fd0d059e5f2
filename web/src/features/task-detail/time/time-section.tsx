import './time.css'
import { type ReactNode, useRef, useState } from 'react'
import {
  deleteTimeEntryWithUndo,
  type TimeEntry,
  useTimeEntries,
  useUnsentTimeEntries,
} from '../../../data/resources/time-entries.ts'
import { useMemberNames, useViewerId } from '../../../data/session/boot.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatDay, formatGutterDay } from '../../../lib/dates/plain-date.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { IconButton } from '../../../ui/form/button.tsx'
import { focusIfLost } from '../../../ui/keyboard/focus-if-lost.ts'
import { Avatar } from '../../../ui/marks/avatar.tsx'
import { ElapsedTime } from '../../timer/index.ts'
import { DetailSection } from '../detail-section.tsx'
import { readDraftBase, saveDraftBase } from '../draft-base.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { EditTimeForm, getTimeDraftKey, LogTimeForm } from './time-form.tsx'

/** The time entries of the task, with a field to log more. */
export function TimeSection() {
  const { task } = useOpenTask()
  const me = useViewerId()
  const { entries = [], error, retry } = useTimeEntries(task.id)
  const unsent = useUnsentTimeEntries(task.id)
  const total = unsent.length + entries.length
  const isEmpty = total === 0 && task.time_spent_seconds === 0 && !error
  const count = total === 0 ? '' : taskDetailMessages.showTime(total)
  return (
    <DetailSection
      name="time"
      title={taskDetailMessages.timeSpent}
      gutter={formatDuration(task.time_spent_seconds)}
      end={count}
      empty={isEmpty}
    >
      {error && <ErrorMessage error={error} onRetry={retry} />}
      <ul className="time-entries">
        {unsent.map(({ key, ...entry }) => (
          <TimeEntryLine key={key} entry={{ started_at: null, ...entry, user_id: me }} />
        ))}
        {entries.map((entry) => (
          <TimeEntryItem key={entry.id} entry={entry} />
        ))}
      </ul>
      <LogTimeForm folded={isEmpty} />
    </DetailSection>
  )
}

function TimeEntryItem({ entry }: { entry: TimeEntry }) {
  const { editTime } = useBlockReasons()
  /** The entry as it was when it began to be edited. */
  const [base, setBase] = useState<TimeEntry>()
  const button = useRef<HTMLButtonElement>(null)
  const { user_id, duration_seconds, spent_on } = entry
  const reason = editTime(user_id)
  const length =
    duration_seconds === null ? taskDetailMessages.entryRunning : formatDuration(duration_seconds)
  const text = `${length} ${formatDay(spent_on)}`
  const edit = () => {
    const from = readDraftBase(entry, getTimeDraftKey(entry)) ?? entry
    saveDraftBase(from.id, from)
    setBase(from)
  }
  const stopEditing = () => {
    setBase(undefined)
    focusIfLost(() => button.current)
  }
  if (base) return <EditTimeForm base={base} onDone={stopEditing} />
  return (
    <TimeEntryLine entry={entry}>
      {duration_seconds !== null && (
        <IconButton
          ref={button}
          icon="edit"
          label={taskDetailMessages.editEntry(text)}
          reason={reason}
          onClick={edit}
        />
      )}
      <IconButton
        icon="trash"
        label={taskDetailMessages.deleteEntry(text)}
        reason={reason}
        onClick={() => deleteTimeEntryWithUndo(entry)}
      />
    </TimeEntryLine>
  )
}

interface TimeEntryLineProps {
  entry: Pick<
    TimeEntry,
    'user_id' | 'duration_seconds' | 'spent_on' | 'note' | 'billable' | 'started_at'
  >
  /** Its buttons; none while it is waiting to be sent. */
  children?: ReactNode
}

function TimeEntryLine({ entry, children }: TimeEntryLineProps) {
  const me = useViewerId()
  const nameOf = useMemberNames()
  const { user_id, duration_seconds, spent_on, note, billable, started_at } = entry
  const name = nameOf(user_id)
  return (
    <li className="line time-entry">
      <span className="gut">
        <time dateTime={spent_on} title={formatDay(spent_on, 'long')}>
          {formatGutterDay(spent_on)}
        </time>
      </span>
      <div>
        <span className="mono">
          {duration_seconds === null && started_at ? (
            <ElapsedTime since={started_at} />
          ) : (
            formatDuration(duration_seconds ?? 0)
          )}
        </span>
        <Avatar name={name} me={user_id === me} />
        <span className="clip">{note}</span>
        {billable && <span className="quiet">{taskDetailMessages.billable}</span>}
        <span className="end">{children}</span>
      </div>
    </li>
  )
}
