import { formatGutterInstant, formatTime, type Instant } from '../../../../lib/dates/instant.ts'
import { today, toPlainDate } from '../../../../lib/dates/plain-date.ts'
import { getDateFormatter } from '../../../../lib/locale/viewer.ts'

const TIME_FORMAT: Intl.DateTimeFormatOptions = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
}

/** The time of a log entry: "14:02:11" for today, "Tue 17 14:02" for other days. */
export const formatLogTime = (at: Instant): string =>
  toPlainDate(at) === today()
    ? getDateFormatter(TIME_FORMAT).format(Date.parse(at))
    : `${formatGutterInstant(at)} ${formatTime(at)}`
