import { dayOf, today } from '../../../lib/day.ts'
import { gutterOf, type Instant } from '../../../lib/instant.ts'
import { formatter } from '../../../lib/viewer.ts'

const CLOCK: Intl.DateTimeFormatOptions = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
}

/** When something of a log was: "14:02:11" today, then the day. */
export const logTimeOf = (at: Instant): string =>
  dayOf(at) === today() ? formatter(CLOCK).format(Date.parse(at)) : gutterOf(at)
