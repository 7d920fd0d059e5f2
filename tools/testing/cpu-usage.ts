import { readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second. */
const MS_PER_TICK = 10

/**
 * The processor time of this process and of its child processes that have ended, in milliseconds.
 * Children count on Linux only; PostgreSQL, which all workers share, never does.
 */
export function readCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return Math.round((user + system) / 1_000) + readChildCpuMs()
}

function readChildCpuMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The name of the program, in parentheses, may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK
  } catch {
    return 0
  }
}
