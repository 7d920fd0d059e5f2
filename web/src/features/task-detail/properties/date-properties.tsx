import { useBoot } from '../../../data/session/boot.ts'
import { changeTask } from '../../../data/tasks/change-task.ts'
import { getDueDay, toDuePatch } from '../../../data/tasks/due-day.ts'
import { isTaskFinished, type Task } from '../../../data/tasks/task-patch.ts'
import { formatDue } from '../../../lib/dates/format-due.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { formatDay } from '../../../lib/dates/plain-date.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { DueDate } from '../../../ui/marks/due-date.tsx'
import { DateButton } from '../../../ui/overlays/picker-button.tsx'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { PropertyRow } from './property-row.tsx'
import { useEmptyLabel } from './unset-properties.ts'

export function StartDateProperty() {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const { start_date: date } = task
  const emptyLabel = useEmptyLabel(taskDetailMessages.start)
  const text = date === null ? taskDetailMessages.noDate : formatDay(date)
  return (
    <PropertyRow label={taskDetailMessages.start} fields={['start_date']}>
      <DateButton
        className="value"
        data-does="start"
        label={taskDetailMessages.changeOf(taskDetailMessages.start, text)}
        reason={write}
        pick={{
          date,
          onPick({ date: start_date }) {
            if (start_date === date) return
            const label = getChangeLabel(task, taskDetailMessages.start, start_date)
            changeTask(task.id, { start_date }, { label, from: task })
          },
        }}
      >
        {date === null ? <span className="quiet">{emptyLabel}</span> : text}
      </DateButton>
    </PropertyRow>
  )
}

export function DueDateProperty() {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const { workspace } = useBoot('session').session
  const { due_at: at } = task
  const date = getDueDay(task)
  const finished = isTaskFinished(task)
  const text = date === null ? taskDetailMessages.noDate : formatDue(date, { at, finished }).text
  const day = date === null || text.startsWith(formatDay(date)) ? undefined : formatDay(date)
  return (
    <PropertyRow
      label={taskDetailMessages.due}
      fields={['due_date', 'due_at']}
      empty={task.due_date === null && task.due_at === null}
    >
      <DateButton
        className="value"
        data-does="due"
        label={taskDetailMessages.changeOf(taskDetailMessages.due, day ? `${text} ${day}` : text)}
        reason={write}
        pick={{
          date,
          at,
          timed: true,
          onPick(picked) {
            if (picked.date === date && picked.at === at) return
            const label = getChangeLabel(task, taskDetailMessages.due, picked.date, picked.at)
            changeTask(task.id, toDuePatch(picked, workspace.timezone), { label, from: task })
          },
        }}
      >
        {date === null ? (
          <span className="quiet">{text}</span>
        ) : (
          <>
            <DueDate date={date} at={at} finished={finished} />{' '}
            {day && <span className="quiet">{day}</span>}
          </>
        )}
      </DateButton>
    </PropertyRow>
  )
}

const getChangeLabel = (
  { short_id }: Task,
  property: string,
  date: string | null,
  at: string | null = null,
) => {
  if (date === null) return taskDetailMessages.cleared(short_id, property)
  const day = formatDay(date)
  return taskDetailMessages.took(short_id, property, at === null ? day : `${day} ${formatTime(at)}`)
}
