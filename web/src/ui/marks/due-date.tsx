import { type DueOptions, formatDue } from '../../lib/dates/format-due.ts'
import { formatDay, type PlainDate } from '../../lib/dates/plain-date.ts'

type DueDateProps = { date: PlainDate | null } & Pick<DueOptions, 'at' | 'finished'>

/** A due date relative to today: "2 d late", "Today", "Tue 24 Nov"; empty without a date. */
export function DueDate({ date, at = null, finished = false }: DueDateProps) {
  if (date === null) return null
  const { text, when } = formatDue(date, { at, finished })
  return (
    <time className="due" dateTime={at ?? date} data-when={when} title={formatDay(date, 'long')}>
      {text}
    </time>
  )
}
