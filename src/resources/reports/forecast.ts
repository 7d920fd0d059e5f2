import { addDays } from '#lib/days.ts'
import type { BurnUpReport, Forecast } from './contract.ts'

const WEEKS = 6
const SPREAD = 3
/** Nobody plans by what is farther away. */
const MOST_WEEKS = 520

/**
 * Where the last six weeks lead: done goes on as in the mean of the three slowest or the three fastest of
 * them, scope as in the mean of all. Null with less than six weeks, or with nothing left to do.
 */
export function forecastOf(days: BurnUpReport['days']): Forecast | null {
  const now = days.at(-1)
  const weeks = Array.from({ length: WEEKS + 1 }, (_, n) => days.at(-1 - 7 * (WEEKS - n)))
  const first = weeks[0]
  if (!now || !first || now.done >= now.scope) return null
  const rates = weeks.slice(1).map((week, n) => (week?.done ?? 0) - (weeks[n]?.done ?? 0))
  const sorted = rates.toSorted((a, b) => a - b)
  const slow = mean(sorted.slice(0, SPREAD))
  const fast = mean(sorted.slice(-SPREAD))
  const scope = (now.scope - first.scope) / WEEKS
  const meet = (rate: number) => {
    const left = (now.scope - now.done) / (rate - scope)
    return rate > scope && left <= MOST_WEEKS ? addDays(now.day, Math.ceil(left * 7)) : null
  }
  return { slow, fast, scope, earliest: meet(fast), latest: meet(slow) }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
