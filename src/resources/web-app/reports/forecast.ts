import { addDays } from '#lib/days.ts'
import type { BurnUpReport, Forecast } from './contract.ts'

const WEEKS = 6
const SAMPLE_WEEKS = 3
/** Forecasts beyond ten years are left out. */
const MAX_FORECAST_WEEKS = 520

/**
 * Extrapolates the last six weeks: completion at the mean rate of the three slowest or the three
 * fastest weeks, scope at the mean rate of all. Null with less than six weeks, or if all is done.
 */
export function computeForecast(days: BurnUpReport['days']): Forecast | null {
  const last = days.at(-1)
  const weeks = Array.from({ length: WEEKS + 1 }, (_, n) => days.at(-1 - 7 * (WEEKS - n)))
  const first = weeks[0]
  if (!last || !first || last.done >= last.scope) return null
  const rates = weeks.slice(1).map((week, n) => (week?.done ?? 0) - (weeks[n]?.done ?? 0))
  const sorted = rates.toSorted((a, b) => a - b)
  const slow = mean(sorted.slice(0, SAMPLE_WEEKS))
  const fast = mean(sorted.slice(-SAMPLE_WEEKS))
  const scope = (last.scope - first.scope) / WEEKS
  const dateAtRate = (rate: number) => {
    const weeksLeft = (last.scope - last.done) / (rate - scope)
    return rate > scope && weeksLeft <= MAX_FORECAST_WEEKS
      ? addDays(last.day, Math.ceil(weeksLeft * 7))
      : null
  }
  return { slow, fast, scope, earliest: dateAtRate(fast), latest: dateAtRate(slow) }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
