import { spawn } from 'node:child_process'

/** Ends by itself when its parent has ended, even by a signal. */
const BUSY_LOOP =
  'const parent = process.ppid; while (process.ppid === parent) for (let n = 0; n < 1e7; n += 1);'

/** Keeps this many cores busy until stopped, to simulate a loaded machine. */
export function startBusyLoops(loops: number): { stop(): void } {
  const children = Array.from({ length: loops }, () =>
    spawn(process.execPath, ['--eval', BUSY_LOOP], { stdio: 'ignore' }),
  )
  const stop = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.once('exit', stop)
  return { stop }
}
