import assert from 'node:assert/strict'

/** Milliseconds of processor time that work takes at best: of this thread, so that neighbours do not count. */
export function cpuOf(work: () => unknown, tries = 5): number {
  const times = Array.from({ length: tries }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

/** Some systems count processor time in steps of several milliseconds: work is repeated until these are little. */
const MEASURED_MS = 60

/**
 * Fails where the work on a text grows faster than the text: one four times as long may take ten times as long, and
 * quadratic work takes sixteen times.
 */
export function assertLinear(
  work: (text: string) => unknown,
  make: (length: number) => string,
  length: number,
): void {
  const [short, long] = [make(length / 4), make(length)]
  const [less, more] = [average(() => work(short)), average(() => work(long))]
  const what = `${long.slice(0, 4)}: ${more} ms for ${length}, ${less} ms for a quarter`
  assert.ok(more < 10 * less, what)
}

/** Milliseconds of processor time that work takes on average. */
function average(work: () => unknown): number {
  const before = process.threadCpuUsage()
  for (let runs = 1; ; runs += 1) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    const spent = (user + system) / 1_000
    if (spent >= MEASURED_MS) return spent / runs
  }
}
