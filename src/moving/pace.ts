const SETTLED_MS = 2_000

/** Tells how many rows of how many are done, how quickly, and when they will be. */
export function openPace(doing: string, total: number, told: (what: string) => void) {
  const began = performance.now()
  let done = 0
  return (table: string, rows: number): void => {
    done += rows
    const ms = performance.now() - began
    const rate = (1_000 * done) / ms
    const so_far = `${doing}${table}, ${done} of ${total} rows`
    const settled = ms > SETTLED_MS && done > 0
    told(
      settled ? `${so_far}, ${Math.round(rate)}/s, ${leftOf((total - done) / rate)} left` : so_far,
    )
  }
}

const leftOf = (seconds: number) =>
  seconds < 90 ? `${Math.max(0, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`
