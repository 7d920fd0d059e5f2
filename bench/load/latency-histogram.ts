/** Each bucket is 2 % wider than the one before, which bounds the error of quantiles. */
const BUCKET_WIDTH = Math.log(1.02)

/** A histogram of latencies in logarithmic buckets, in constant memory. */
export type LatencyHistogram = Record<string, number>

/** Counts a latency in milliseconds, one or several times. */
export function recordLatency(counts: LatencyHistogram, ms: number, times = 1): void {
  const step = Math.ceil(Math.log(Math.max(ms, 0.01)) / BUCKET_WIDTH)
  counts[step] = (counts[step] ?? 0) + times
}

/** The latency in milliseconds that a share of the values does not exceed. */
export function latencyQuantile(counts: LatencyHistogram, share: number): number {
  const steps = Object.entries(counts).toSorted(([a], [b]) => Number(a) - Number(b))
  let left = share * countLatencies(counts)
  for (const [step, times] of steps) {
    left -= times
    if (left <= 0) return Math.exp(Number(step) * BUCKET_WIDTH)
  }
  return Number.NaN
}

export const countLatencies = (counts: LatencyHistogram): number =>
  Object.values(counts).reduce((sum, times) => sum + times, 0)
