import assert from 'node:assert/strict'

/** Milliseconds of CPU time of the fastest of several runs, on this thread alone. */
export function measureCpuTime(work: () => unknown, tries = 5): number {
  const times = Array.from({ length: tries }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

/** Some systems count CPU time in steps of several milliseconds, so work is repeated this long. */
const MIN_MEASURED_MS = 20
const MAX_ROUNDS = 10

/**
 * Fails if the work on a text grows faster than the text. A text four times as long may take up to
 * ten times the time, to allow for noise; quadratic work would take sixteen times. Other processes
 * take away the caches and the clock rate of the core in the middle of a measurement, so the two
 * lengths alternate, and the shortest time of each counts.
 */
export function assertLinearTime(
  work: (text: string) => unknown,
  make: (length: number) => string,
  length: number,
): void {
  const [short, long] = [make(length / 4), make(length)]
  let [less, more] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    less = Math.min(
      less,
      averageCpuTime(() => work(short)),
    )
    more = Math.min(
      more,
      averageCpuTime(() => work(long)),
    )
    if (more < 10 * less) return
  }
  assert.fail(`${long.slice(0, 4)}: ${more} ms for ${length}, ${less} ms for a quarter`)
}

/** Milliseconds of CPU time that work takes on average. */
export function averageCpuTime(work: () => unknown): number {
  const before = process.threadCpuUsage()
  for (let runs = 1; ; runs += 1) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    const spent = (user + system) / 1_000
    if (spent >= MIN_MEASURED_MS) return spent / runs
  }
}
