import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'

/** The ids of the running child processes of a process. Reads /proc, so it works on Linux only. */
export function listChildProcesses(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

/** Kills the child processes of a process, such as servers that its tests have started; on Linux only. */
export function killChildProcesses(pid: number): void {
  if (!existsSync(`/proc/${pid}/task/${pid}/children`)) return
  for (const child of listChildProcesses(pid)) {
    try {
      process.kill(child, 'SIGKILL')
    } catch (error) {
      const hasEnded = error instanceof Error && 'code' in error && error.code === 'ESRCH'
      if (!hasEnded) throw error
    }
  }
}

/** Collects what a process prints; `ended` resolves with all of it and how the process ended. */
export function collectOutput(child: ChildProcess) {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    ...output,
  }))
  return { child, output, ended }
}
