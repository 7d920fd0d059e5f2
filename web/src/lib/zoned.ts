import { dayOf, type PlainDate } from './day.ts'
import type { Instant } from './instant.ts'
import { formatter, viewer } from './viewer.ts'

const DAY_MS = 86_400_000

/** The instant at which the clocks of a zone show a date and a time (`HH:MM`); in the hour that a clock skips, the later one. */
export function instantOf(day: PlainDate, time: string, zone: string = viewer.get().zone): Instant {
  const wall = Date.parse(`${day}T${time}:00Z`)
  // With the offset of the day before and of the day after: where the clocks change, only one of them, or both, are right.
  const [before = wall, after = wall] = [-DAY_MS, DAY_MS].map(
    (far) => wall - offsetAt(wall + far, zone),
  )
  const right = [before, after].find((ms) => offsetAt(ms, zone) === wall - ms)
  return new Date(right ?? before).toISOString()
}

/** `HH:MM` on the clocks of a zone. */
export const wallTimeOf = (at: Instant, zone: string = viewer.get().zone): string =>
  clock(Date.parse(at), zone)

/** How far the clocks of a zone are ahead of UTC then, in ms. */
function offsetAt(ms: number, zone: string): number {
  const whole = Math.floor(ms / 60_000) * 60_000
  return Date.parse(`${dayOf(whole, zone)}T${clock(whole, zone)}:00Z`) - whole
}

const clock = (ms: number, zone: string): string => {
  const parts = formatter({
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    numberingSystem: 'latn',
  }).formatToParts(ms)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '00'
  return `${part('hour')}:${part('minute')}`
}
