import { spawn } from 'node:child_process'

/** Keeps this many cores busy until stopped, to simulate a loaded machine. */
export function startBusyLoops(loops: number): { stop(): void } {
  const children = Array.from({ length: loops }, () =>
    spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
  )
  const stop = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  // Also if this process exits without calling it.
  process.once('exit', stop)
  return { stop }
}
