import { addDays, daysBetween } from '#lib/days.ts'
import type { Range } from './contract.ts'
import type { Cuts } from './store.ts'

/** Days of a zone as the instants at which they begin, to count what is kept in UTC. */
export interface Days {
  days: readonly string[]
  since: string
  until: string
  /** Distinct times of the UTC day at which days begin: two where clocks are changed. */
  times: readonly string[]
  cuts: Cuts
}

/** The days of a range. One that the clock jumps over (Samoa, 2011-12-30) has no instant of its own. */
export function daysOf({ after, before, timezone }: Range): Days {
  const count = daysBetween(after, before)
  const begins = Array.from({ length: count + 1 }, (_, n) => beginOf(addDays(after, n), timezone))
  const times = [...new Set(begins.map((at) => at.slice(11, 16)))].toSorted()
  return {
    days: Array.from({ length: count }, (_, n) => addDays(after, n)),
    since: begins[0] ?? '',
    until: begins[count] ?? '',
    times,
    cuts: Object.fromEntries(times.map((time, n) => [`cut_${n}`, time])),
  }
}

function beginOf(day: string, timeZone: string): string {
  const { epochMilliseconds } = Temporal.PlainDate.from(day).toZonedDateTime({ timeZone })
  return new Date(epochMilliseconds).toISOString()
}

/**
 * Gives the place of a part among the days: 0 for what was before the range, and their number for
 * what came after it.
 */
export function placesOf({ days, times }: Days, { after, timezone }: Range) {
  const known = new Map<string, number>()
  return (part: string): number => {
    if (part === '') return 0
    if (part === '~') return days.length
    let place = known.get(part)
    if (place === undefined) {
      const [day = '', cut = '0'] = part.split(' ')
      const time = cut === '0' ? '00:00' : times[Number(cut) - 1]
      const at = Temporal.Instant.from(`${day}T${time}Z`).toZonedDateTimeISO(timezone)
      place = daysBetween(after, at.toPlainDate().toString())
      known.set(part, place)
    }
    return place
  }
}
