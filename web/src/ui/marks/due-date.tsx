import { type DueOptions, formatDue } from '../../lib/dates/format-due.ts'
import { formatDay, type PlainDate, toPlainDate } from '../../lib/dates/plain-date.ts'
import { useToday } from '../../lib/dates/use-today.ts'

type DueDateProps = { date: PlainDate | null } & Pick<DueOptions, 'at' | 'finished'>

/** A due date relative to today: "2 d late", "Today", "Tue 24 Nov"; empty without a date. */
export function DueDate({ date, at = null, finished = false }: DueDateProps) {
  // The text is relative to it.
  useToday()
  if (date === null) return null
  const { text, when } = formatDue(date, { at, finished })
  // As in the text, a time is on its day in the viewer's time zone.
  const title = formatDay(at === null ? date : toPlainDate(at), 'long')
  return (
    <time className="due" dateTime={at ?? date} data-when={when} title={title}>
      {text}
    </time>
  )
}
