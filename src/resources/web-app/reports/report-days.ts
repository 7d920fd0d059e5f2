import { addDays, daysBetween } from '#lib/days.ts'
import type { ReportRange } from './contract.ts'
import type { DayCuts } from './store.ts'

/** Days in a time zone with the UTC instants at which they begin, to count rows that are in UTC. */
interface ReportDays {
  days: readonly string[]
  since: string
  until: string
  /** The distinct UTC times at which days begin: two if clocks change within the range. */
  times: readonly string[]
  cuts: DayCuts
}

/** The days of a range. A day that the clock skips (Samoa, 2011-12-30) has no instants. */
export function buildReportDays({ after, before, timezone }: ReportRange): ReportDays {
  const count = daysBetween(after, before)
  const starts = Array.from({ length: count + 1 }, (_, n) =>
    startOfDay(addDays(after, n), timezone),
  )
  const times = [...new Set(starts.map((at) => at.slice(11, 16)))].toSorted()
  return {
    days: Array.from({ length: count }, (_, n) => addDays(after, n)),
    since: starts[0] ?? '',
    until: starts[count] ?? '',
    times,
    cuts: Object.fromEntries(times.map((time, n) => [`cut_${n}`, time])),
  }
}

function startOfDay(day: string, timeZone: string): string {
  const { epochMilliseconds } = Temporal.PlainDate.from(day).toZonedDateTime({ timeZone })
  return new Date(epochMilliseconds).toISOString()
}

/**
 * Returns a function from a slot to the index of its day: 0 for slots before the range, and the
 * number of days for slots after it.
 */
export function createDayLocator({ days, times }: ReportDays, { after, timezone }: ReportRange) {
  const cache = new Map<string, number>()
  return (slot: string): number => {
    if (slot === '') return 0
    if (slot === '~') return days.length
    let index = cache.get(slot)
    if (index === undefined) {
      const [day = '', cut = '0'] = slot.split(' ')
      const time = cut === '0' ? '00:00' : times[Number(cut) - 1]
      const at = Temporal.Instant.from(`${day}T${time}Z`).toZonedDateTimeISO(timezone)
      index = daysBetween(after, at.toPlainDate().toString())
      cache.set(slot, index)
    }
    return index
  }
}
