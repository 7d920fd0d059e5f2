/** The rate is shown after this time, when it has settled. */
const RATE_AFTER_MS = 2_000

/** Reports the rows that are done, the rate, and the estimated time left. */
export function createRowProgress(
  label: string,
  total: number,
  onProgress: (what: string) => void,
) {
  const startedAt = performance.now()
  let done = 0
  return (table: string, rows: number): void => {
    done += rows
    const ms = performance.now() - startedAt
    const rate = (1_000 * done) / ms
    const counts = `${label}${table}, ${done} of ${total} rows`
    const isRateKnown = ms > RATE_AFTER_MS && done > 0
    onProgress(
      isRateKnown
        ? `${counts}, ${Math.round(rate)}/s, ${formatDuration((total - done) / rate)} left`
        : counts,
    )
  }
}

const formatDuration = (seconds: number) =>
  seconds < 90 ? `${Math.max(0, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`
