import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from './port.ts'

/** A real Redis or Valkey of the system. */
export interface Redis {
  url: string
  signal(name: NodeJS.Signals): void
  /** Ends it at once, as a crash does; nothing of it is kept. */
  kill(): Promise<void>
  /** Starts it again at the same address, empty. */
  start(): Promise<void>
}

/** The program of this machine; undefined where there is none: npm has no package of it. */
export const redisProgram = ['redis-server', 'valkey-server'].find((name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})

export async function startRedis(program: string): Promise<Redis> {
  const port = await freePort()
  let child: ChildProcess | undefined
  async function start() {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '']
    const started = spawn(program, settings, { stdio: ['ignore', 'pipe', 'ignore'] })
    child = started
    process.once('exit', () => started.kill('SIGKILL'))
    for await (const text of started.stdout) {
      if (/ready to accept/i.test(String(text))) break
    }
    // Read on, so that it never waits for a reader.
    started.stdout.resume()
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    signal: (name) => child?.kill(name),
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    start,
  }
}
