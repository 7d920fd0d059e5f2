import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { BASE_ENV } from '#test/cli/run-cli.ts'

/**
 * Runs a program until the test ends, and waits for its first output; `lines` is the output so far.
 */
export async function openTerminal(t: TestContext, command: string, env: Record<string, string>) {
  const child = spawn('bash', ['--norc', '-c', command], {
    env: { ...BASE_ENV, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const closed = once(child, 'close')
  /** Ends the shell and all of its child processes. */
  async function stop(): Promise<void> {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGKILL')
    }
    await closed
  }
  t.after(stop)
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
  })
  const ended = closed.then(() => {
    throw new Error(`It ended and printed nothing: ${command}`)
  })
  await Promise.race([once(child.stdout, 'data'), ended])
  return { lines: () => printed.split('\n').slice(0, -1), stop }
}
