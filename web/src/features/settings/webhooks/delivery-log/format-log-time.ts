import { formatGutterInstant, formatTime, type Instant } from '../../../../lib/dates/instant.ts'
import { countDaysBetween, today, toPlainDate } from '../../../../lib/dates/plain-date.ts'
import { getDateFormatter } from '../../../../lib/locale/viewer.ts'

const TIME_FORMAT: Intl.DateTimeFormatOptions = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
}

const formatSeconds = (at: Instant): string => getDateFormatter(TIME_FORMAT).format(Date.parse(at))

/** The time of a log entry on one line of the gutter: "14:02:11" for today, "Tue 14:02", "17 Nov". */
export function formatLogTime(at: Instant): string {
  const days = countDaysBetween(toPlainDate(at), today())
  if (days === 0) return formatSeconds(at)
  if (days < 0 || days > 6) return formatGutterInstant(at)
  return `${getDateFormatter({ weekday: 'short' }).format(Date.parse(at))} ${formatTime(at)}`
}

/** The time of an attempt, on two lines for other days: "14:02:11" for today, "Tue 17 14:02". */
export const formatAttemptTime = (at: Instant): string =>
  toPlainDate(at) === today() ? formatSeconds(at) : `${formatGutterInstant(at)} ${formatTime(at)}`
