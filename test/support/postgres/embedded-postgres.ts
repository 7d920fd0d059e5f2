import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { findFreePort } from '../system/free-port.ts'
import { findMemoryDir } from '../system/temp-dir.ts'
import { getPostgresBinaries, POSTGRES_ENV } from './postgres-binaries.ts'
import { dataDirOf, endChildProcess, removeOnExit, startPostmaster } from './postmaster.ts'

/** A real PostgreSQL server that a test can stop, kill and restart. */
export interface EmbeddedPostgres {
  url: string
  /** Its URL by a Unix socket, if it has one: a statement costs less processor time than by TCP. */
  socketUrl: string
  port: number
  dataDir: string
  /** Restarts it with the same address and data; resolves once it accepts connections. */
  start(): Promise<void>
  /** PostgreSQL's fast shutdown: orderly, but without waiting for connections to close. */
  stop(): Promise<void>
  /** Kills it like a crash. */
  kill(): Promise<void>
  /** Ends it and deletes its data. */
  remove(): Promise<void>
}

/** The URL of a PostgreSQL server, or of a proxy in front of it, on this port. */
export const postgresUrlOf = (port: number) =>
  `postgres://postgres:password@127.0.0.1:${port}/postgres`

/** The same database by TCP: for another user, or for what stands between it and its clients. */
export function tcpUrlOf(url: string): URL {
  const address = new URL(url)
  address.hostname = '127.0.0.1'
  return address
}

/**
 * Starts a new PostgreSQL server; the caller has to remove it. Tests of crash
 * recovery need one that is `durable`, with its data on a disk: otherwise it may be in memory.
 */
export async function startEmbeddedPostgres({
  durable = false,
  settings: own = [],
}: {
  durable?: boolean
  /** More settings of the server, as `name=value`. */
  settings?: readonly string[]
} = {}): Promise<EmbeddedPostgres> {
  // Docket refuses a PostgreSQL with fsync off; in memory fsync costs nothing, and a commit takes a
  // tenth of its time on a disk.
  const memoryDir = durable ? undefined : findMemoryDir()
  const directory = createClusterDirectory(memoryDir)
  // Elsewhere the path may be longer than the 107 bytes that the address of a socket may have.
  const settings = [...own, ...(memoryDir ? [`unix_socket_directories=${directory}`] : [])]
  const remove = removeOnExit(directory)
  await initializeDatabase(directory)
  const port = await findFreePort()
  const url = postgresUrlOf(port)
  const socketUrl = memoryDir ? url.replace('127.0.0.1', encodeURIComponent(directory)) : url
  let postgres = await startPostmaster(directory, port, settings)
  return {
    url,
    socketUrl,
    port,
    dataDir: dataDirOf(directory),
    remove,
    async start() {
      postgres = await startPostmaster(directory, port, settings)
    },
    stop: () => endChildProcess(postgres, 'SIGINT'),
    kill: () => endChildProcess(postgres, 'SIGKILL'),
  }
}

/** Creates a directory owned by the user that PostgreSQL runs as. */
export function createClusterDirectory(place = getPostgresBinaries().temp): string {
  const { user } = getPostgresBinaries()
  const directory = mkdtempSync(join(place, 'docket-pg-'))
  if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid)
  return directory
}

async function initializeDatabase(directory: string): Promise<void> {
  const { initdb, user, majorVersion } = getPostgresBinaries()
  const password = join(directory, 'password')
  writeFileSync(password, 'password\n')
  chmodSync(password, 0o644)
  const flags = [
    '--pgdata',
    dataDirOf(directory),
    '--username=postgres',
    '--pwfile',
    password,
    '--auth=password',
    '--encoding=UTF8',
    '--no-locale',
    '--no-sync',
    ...(majorVersion >= 18 ? ['--no-data-checksums'] : []),
  ]
  const child = spawn(initdb, flags, {
    ...user,
    cwd: directory,
    env: POSTGRES_ENV,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exit = once(child, 'exit')
  const complaint = await text(child.stderr)
  const [code] = await exit
  if (code !== 0) throw new Error(`initdb ended with ${code}:\n${complaint}`)
  const settings = majorVersion >= 16 ? [...SETTINGS, SCRAM_SETTING] : SETTINGS
  appendFileSync(join(dataDirOf(directory), 'postgresql.conf'), `${settings.join('\n')}\n`)
}

// The password is not secret, and verifying it would cost several milliseconds per connection.
const SCRAM_SETTING = 'scram_iterations=1'

const SETTINGS = [
  // Several test files share one server.
  'max_connections=300',
  'checkpoint_timeout=1h',
  'max_wal_size=256MB',
  // Otherwise a killed server leaves files behind in /dev/shm.
  'dynamic_shared_memory_type=mmap',
]
