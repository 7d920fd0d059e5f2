/** Each step is so much longer than the one before: quantiles are as exact as that. */
const STEP = Math.log(1.02)

/** How often replies took how long, in little memory however many there were. */
export type Counts = Record<string, number>

/** Counts one that took some milliseconds, or several. */
export function count(counts: Counts, ms: number, times = 1): void {
  const step = Math.ceil(Math.log(Math.max(ms, 0.01)) / STEP)
  counts[step] = (counts[step] ?? 0) + times
}

/** The milliseconds that a share of them did not exceed. */
export function quantile(counts: Counts, share: number): number {
  const steps = Object.entries(counts).toSorted(([a], [b]) => Number(a) - Number(b))
  let left = share * total(counts)
  for (const [step, times] of steps) {
    left -= times
    if (left <= 0) return Math.exp(Number(step) * STEP)
  }
  return Number.NaN
}

export const total = (counts: Counts): number =>
  Object.values(counts).reduce((sum, times) => sum + times, 0)
