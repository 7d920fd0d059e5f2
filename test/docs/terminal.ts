import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

/** Another terminal, in which one program runs until the test ends: `lines` is what it has printed. */
export async function newTerminal(t: TestContext, command: string, env: Record<string, string>) {
  const child = spawn('bash', ['--norc', '-c', command], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  // The shell and what it started.
  t.after(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'))
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
  })
  await once(child.stdout, 'data')
  return { lines: () => printed.split('\n').slice(0, -1) }
}
