import { useBoot } from '../../../data/boot.ts'
import type { Task } from '../../../data/task-view.ts'
import { changeTask } from '../../../data/task-writes.ts'
import { dayOf, formatDay } from '../../../lib/day.ts'
import { dueWords } from '../../../lib/due.ts'
import { timeOf } from '../../../lib/instant.ts'
import { m } from '../../../messages/task.ts'
import { Due } from '../../../ui/due.tsx'
import { DateButton } from '../../../ui/pick.tsx'
import { useOpenTask } from '../open-task.ts'
import { useRights } from '../rights.ts'
import { isFinished } from '../status-pick.tsx'
import { useEmptyWord } from './bare.ts'
import { Prop } from './prop.tsx'

export function StartProp() {
  const { task } = useOpenTask()
  const { write } = useRights()
  const { start_date: date } = task
  const empty = useEmptyWord(m.start)
  const words = date === null ? m.noDate : formatDay(date)
  return (
    <Prop label={m.start} fields={['start_date']}>
      <DateButton
        className="value"
        data-does="start"
        label={m.changeOf(m.start, words)}
        reason={write}
        pick={{
          date,
          onPick({ date: start_date }) {
            if (start_date === date) return
            const label = told(task, m.start, start_date)
            changeTask(task.id, { start_date }, { label, from: task })
          },
        }}
      >
        {date === null ? <span className="quiet">{empty}</span> : words}
      </DateButton>
    </Prop>
  )
}

export function DueProp() {
  const { task } = useOpenTask()
  const { write } = useRights()
  const { workspace } = useBoot().session
  const { due_at: at } = task
  // A date is the same for everyone; a time falls on the viewer's day.
  const date = at === null ? task.due_date : dayOf(at)
  const finished = isFinished(task)
  const words = date === null ? m.noDate : dueWords(date, { at, finished }).text
  const day = date === null || words.startsWith(formatDay(date)) ? undefined : formatDay(date)
  return (
    <Prop label={m.due} fields={['due_date', 'due_at']}>
      <DateButton
        className="value"
        data-does="due"
        label={m.changeOf(m.due, day ? `${words} ${day}` : words)}
        reason={write}
        pick={{
          date,
          at,
          timed: true,
          onPick(picked) {
            if (picked.date === date && picked.at === at) return
            const label = told(task, m.due, picked.date, picked.at)
            // The day of a time is that of the workspace, wherever the viewer is (contract 6.2).
            const { at: due_at } = picked
            const patch =
              due_at === null
                ? { due_date: picked.date }
                : { due_at, due_date: dayOf(due_at, workspace.timezone) }
            changeTask(task.id, patch, { label, from: task })
          },
        }}
      >
        {date === null ? (
          <span className="quiet">{words}</span>
        ) : (
          <>
            <Due date={date} at={at} finished={finished} />{' '}
            {day && <span className="quiet">{day}</span>}
          </>
        )}
      </DateButton>
    </Prop>
  )
}

const told = ({ short_id }: Task, what: string, date: string | null, at: string | null = null) => {
  if (date === null) return m.cleared(short_id, what)
  const day = formatDay(date)
  return m.took(short_id, what, at === null ? day : `${day} ${timeOf(at)}`)
}
