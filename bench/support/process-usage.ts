import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** The clock tick in which Linux counts CPU time, in seconds. */
const TICK_SECONDS = 0.01

/** The id of the postmaster, the parent of all backends of a local PostgreSQL. */
export async function findPostmaster(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = statOf(String(rows[0]?.pid))[1] ?? ''
  await client.end()
  return postmaster
}

/** The CPU time of all its processes so far, in seconds; NaN on systems other than Linux. */
export function postgresCpuTime(postmaster: string): number {
  if (postmaster === '') return Number.NaN
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const own = ids.filter((id) => statOf(id)[1] === postmaster).map(processCpuTime)
  // The kernel adds the CPU time of ended backends to the postmaster that has waited for them.
  const [ended, endedInKernel] = statOf(postmaster).slice(13, 15).map(Number)
  return own.reduce((sum, one) => sum + one, TICK_SECONDS * ((ended ?? 0) + (endedInKernel ?? 0)))
}

/** The CPU time of one process so far, in seconds. */
export function processCpuTime(pid: string): number {
  const stat = statOf(pid)
  return TICK_SECONDS * (Number(stat[11]) + Number(stat[12]))
}

/** The private memory of a process, in bytes. */
export function privateMemoryOf(pid: string): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return 1024 * Number(/Private_Dirty:\s+(\d+)/.exec(text)?.[1])
}

/** The most memory that a process has had so far, in bytes; 0 if it has ended. */
export function peakMemoryOf(pid: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8')
    return 1024 * Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** The fields of /proc/<pid>/stat after the process name: state, parent, and so on. */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
