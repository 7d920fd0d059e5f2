import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** A tick of the clock by which Linux counts processor time, in seconds. */
const TICK = 0.01

/** The process that keeps the connections of a PostgreSQL on this machine. */
export async function postmasterOf(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = statOf(String(rows[0]?.pid))[1] ?? ''
  await client.end()
  return postmaster
}

/** Seconds of processor time that its processes have used so far; not a number but on Linux. */
export function cpuOf(postmaster: string): number {
  if (postmaster === '') return Number.NaN
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const own = ids.filter((id) => statOf(id)[1] === postmaster).map(cpuOfProcess)
  // Connections that have ended are counted by who has waited for them.
  const [ended, endedInKernel] = statOf(postmaster).slice(13, 15).map(Number)
  return own.reduce((sum, one) => sum + one, TICK * ((ended ?? 0) + (endedInKernel ?? 0)))
}

/** Seconds of processor time that one process has used so far. */
export function cpuOfProcess(pid: string): number {
  const stat = statOf(pid)
  return TICK * (Number(stat[11]) + Number(stat[12]))
}

/** Bytes of memory that a process has for itself. */
export function memoryOf(pid: string): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return 1024 * Number(/Private_Dirty:\s+(\d+)/.exec(text)?.[1])
}

/** What Linux tells of a process after its name: its state, its parent, and so on. */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
