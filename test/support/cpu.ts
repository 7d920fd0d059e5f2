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
