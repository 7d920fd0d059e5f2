import { readFileSync } from 'node:fs'

/** The ids of the running child processes of a process. Reads /proc, so it works on Linux only. */
export function listChildProcesses(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}
