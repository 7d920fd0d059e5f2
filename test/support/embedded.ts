import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from './port.ts'
import { POSTGRES_ENV, postgresProgram } from './postgres-program.ts'
import { dataIn, ended, startPostmaster, watched } from './postmaster.ts'

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

/** The address of such a server, or of what stands before it. */
export const urlOf = (port: number) => `postgres://postgres:password@127.0.0.1:${port}/postgres`

/**
 * A new PostgreSQL of the lockfile, started. The caller has to remove it. A test of what outlives
 * a crash asks for one that is `durable`: its data is on a disk, and that of others may be in memory.
 */
export async function embeddedPostgres({ durable = false } = {}): Promise<Embedded> {
  const home = newHome(durable ? undefined : roomInMemory())
  const remove = watched(home)
  await initialized(home)
  const port = await freePort()
  let postgres = await startPostmaster(home, port)
  return {
    ...{ url: urlOf(port), port, dataDir: dataIn(home), remove },
    async start() {
      postgres = await startPostmaster(home, port)
    },
    stop: () => ended(postgres, 'SIGINT'),
    kill: () => ended(postgres, 'SIGKILL'),
  }
}

/** A directory for a PostgreSQL, which belongs to the user that it runs as. */
export function newHome(place = postgresProgram().temp): string {
  const { user } = postgresProgram()
  const home = mkdtempSync(join(place, 'docket-pg-'))
  if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid)
  return home
}

/**
 * A file system in memory, where there is one with room. Docket refuses a PostgreSQL with fsync off, and
 * there fsync costs nothing: commits take a tenth of the time that they take on a disk.
 */
function roomInMemory(): string | undefined {
  if (!existsSync(MEMORY) || process.availableMemory() < 4 * GIB) return undefined
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize < 2 * GIB ? undefined : MEMORY
}

const MEMORY = '/dev/shm'
const GIB = 2 ** 30

async function initialized(home: string): Promise<void> {
  const { initdb, user } = postgresProgram()
  const password = join(home, 'password')
  writeFileSync(password, 'password\n')
  chmodSync(password, 0o644)
  const flags = [
    ...['--pgdata', dataIn(home), '--username=postgres', '--pwfile', password, '--auth=password'],
    ...['--encoding=UTF8', '--no-locale', '--no-sync', '--no-data-checksums'],
    ...SETTINGS.flatMap((setting) => ['--set', setting]),
  ]
  const child = spawn(initdb, flags, {
    ...{ ...user, cwd: home, env: POSTGRES_ENV, stdio: ['ignore', 'ignore', 'pipe'] },
  })
  const exit = once(child, 'exit')
  const complaint = await text(child.stderr)
  const [code] = await exit
  if (code !== 0) throw new Error(`initdb ended with ${code}:\n${complaint}`)
}

const SETTINGS = [
  // Several test files share a server.
  'max_connections=300',
  // The password is no secret, and its check would cost each connection several milliseconds.
  'scram_iterations=1',
  'checkpoint_timeout=1h',
  'max_wal_size=256MB',
]
