import { formatDay, type PlainDate } from '../lib/day.ts'
import { type DueOptions, dueWords } from '../lib/due.ts'

type Props = { date: PlainDate | null } & Pick<DueOptions, 'at' | 'finished'>

/** A due date in relative words: "2 d late", "Today", "Tue 24 Nov"; nothing where there is none. */
export function Due({ date, at = null, finished = false }: Props) {
  if (date === null) return null
  const { text, when } = dueWords(date, { at, finished })
  return (
    <time className="due" dateTime={at ?? date} data-when={when} title={formatDay(date, 'long')}>
      {text}
    </time>
  )
}
