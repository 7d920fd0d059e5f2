import { spawn } from 'node:child_process'

/** Keeps so many cores busy until it is ended: how a machine is on which much else happens. */
export function startLoad(loops: number): { stop(): void } {
  const children = Array.from({ length: loops }, () =>
    spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
  )
  const stop = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  // Also when this process ends otherwise.
  process.once('exit', stop)
  return { stop }
}
