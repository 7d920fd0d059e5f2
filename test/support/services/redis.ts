import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { findFreePort } from '../system/free-port.ts'

/** A real Redis or Valkey server, installed on the system. */
export interface RedisServer {
  url: string
  signal(name: NodeJS.Signals): void
  /** Kills it like a crash; its data is lost. */
  kill(): Promise<void>
  /** Restarts it empty at the same address. */
  start(): Promise<void>
}

/** The installed program; undefined if there is none, because npm has no package of it. */
export const redisProgram = ['redis-server', 'valkey-server'].find((name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})

export async function startRedis(program: string): Promise<RedisServer> {
  const port = await findFreePort()
  let child: ChildProcess | undefined
  async function start() {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '']
    const started = spawn(program, settings, { stdio: ['ignore', 'pipe', 'ignore'] })
    child = started
    process.once('exit', () => started.kill('SIGKILL'))
    for await (const text of started.stdout) {
      if (/ready to accept/i.test(String(text))) break
    }
    // Keeps reading, so that Redis does not block on a full pipe.
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
