import { DAY_MS } from '#lib/durations.ts'
import { getDateFormatter, viewer } from '../locale/viewer.ts'
import type { Instant } from './instant.ts'
import { type PlainDate, toPlainDate } from './plain-date.ts'

/** The instant of a local date and time (`HH:MM`) in a zone; a skipped local time moves forward. */
export function toInstant(day: PlainDate, time: string, zone: string = viewer.get().zone): Instant {
  const localMs = Date.parse(`${day}T${time}:00Z`)
  // Tries the offsets of the day before and the day after: on a clock change one of them is right.
  const [before = localMs, after = localMs] = [-DAY_MS, DAY_MS].map(
    (distance) => localMs - offsetAt(localMs + distance, zone),
  )
  const match = [before, after].find((ms) => offsetAt(ms, zone) === localMs - ms)
  return new Date(match ?? before).toISOString()
}

/** The local time (`HH:MM`) of an instant in a zone. */
export const toWallTime = (at: Instant, zone: string = viewer.get().zone): string =>
  formatClock(Date.parse(at), zone)

/** The offset of a zone from UTC at an instant, in ms. */
function offsetAt(ms: number, zone: string): number {
  const whole = Math.floor(ms / 60_000) * 60_000
  return Date.parse(`${toPlainDate(whole, zone)}T${formatClock(whole, zone)}:00Z`) - whole
}

const formatClock = (ms: number, zone: string): string => {
  const parts = getDateFormatter({
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    numberingSystem: 'latn',
  }).formatToParts(ms)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '00'
  return `${part('hour')}:${part('minute')}`
}
