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

/** What is this quick is not worth a comparison: the clock and the collector would be compared. */
const NEGLIGIBLE_MS = 5

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
  const [less, more] = [cpuOf(() => work(short)), cpuOf(() => work(long))]
  const what = `${long.slice(0, 4)}: ${more} ms for ${length}, ${less} ms for a quarter`
  assert.ok(more < NEGLIGIBLE_MS || more < 10 * less, what)
}
