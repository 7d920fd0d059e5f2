import { type DueOptions, formatDue } from '../../lib/dates/format-due.ts'
import { formatDay, type PlainDate, today, toPlainDate } from '../../lib/dates/plain-date.ts'
import { useTimedText } from '../../lib/dates/use-clock.ts'

type DueDateProps = { date: PlainDate | null } & Pick<DueOptions, 'at' | 'finished'>

/** A due date relative to today: "2 d late", "Today", "Tue 24 Nov"; empty without a date. */
export function DueDate({ date, at = null, finished = false }: DueDateProps) {
  // A time says each minute how late it is, a date is another one from the next day on.
  useTimedText(() => (date && at ? formatDue(date, { at, finished }).text : today()))
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
