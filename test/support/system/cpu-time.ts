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
