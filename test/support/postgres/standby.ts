import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { findFreePort } from '../system/free-port.ts'
import { createClusterDirectory, postgresUrlOf } from './embedded-postgres.ts'
import { dataDirOf, endChildProcess, removeOnExit, startPostmaster } from './postmaster.ts'

/** A PostgreSQL server: its URL, port and data directory. */
interface PostgresServer {
  url: string
  port: number
  dataDir: string
}

/** A real PostgreSQL standby of another server. */
export interface Standby extends PostgresServer {
  /** Promotes it to primary; resolves once it accepts writes. */
  promote(): Promise<void>
  /** Kills it like a crash. */
  kill(): Promise<void>
  remove(): Promise<void>
}

const START_TIMEOUT_MS = 60_000

/** Creates a standby of a running primary by a manual base backup: npm has no pg_basebackup. */
export async function startStandby(primary: PostgresServer): Promise<Standby> {
  const directory = createClusterDirectory()
  const remove = removeOnExit(directory)
  const dataDir = dataDirOf(directory)
  await withAdminClient(primary.url, async (admin) => {
    await admin.query("select pg_backup_start('standby', true)")
    copy(primary.dataDir, dataDir)
    const { rows } = await admin.query('select labelfile from pg_backup_stop(false)')
    writeFileSync(join(dataDir, 'backup_label'), rows[0].labelfile)
  })
  writeFileSync(join(dataDir, 'standby.signal'), '')
  rmSync(join(dataDir, 'postmaster.pid'), { force: true })
  const { uid, gid } = statSync(primary.dataDir)
  execFileSync('chown', ['-R', `${uid}:${gid}`, directory])
  const follows = `host=127.0.0.1 port=${primary.port} user=postgres password=password application_name=standby`
  const settings = [`primary_conninfo=${follows}`, 'synchronous_standby_names=']
  const port = await findFreePort()
  const postgres = await startPostmaster(directory, port, settings)
  const url = postgresUrlOf(port)
  return {
    url,
    port,
    dataDir,
    remove,
    promote: () =>
      withAdminClient(url, async (admin) => void (await admin.query('select pg_promote(true)'))),
    kill: () => endChildProcess(postgres, 'SIGKILL'),
  }
}

/** Makes commits wait for the standby from now on (synchronous replication), once it is in sync. */
export async function makeStandbySynchronous(primary: PostgresServer): Promise<void> {
  await withAdminClient(primary.url, async (admin) => {
    await admin.query("alter system set synchronous_standby_names = 'standby'")
    await admin.query('select pg_reload_conf()')
    const sync = "select from pg_stat_replication where sync_state = 'sync'"
    await until(async () => (await admin.query(sync)).rowCount === 1)
  })
}

/**
 * Returns a function that signals all processes of a server. After SIGSTOP the server still accepts
 * connections, but does not respond.
 */
export async function createServerSignaller(
  server: PostgresServer,
): Promise<(name: NodeJS.Signals) => void> {
  const [postmaster] = readFileSync(join(server.dataDir, 'postmaster.pid'), 'utf8').split('\n')
  const pids = await withAdminClient(server.url, async (admin) => {
    // A stopped postmaster starts no more processes.
    process.kill(Number(postmaster), 'SIGSTOP')
    const { rows } = await admin.query<{ pid: number }>('select pid from pg_stat_activity')
    return rows.map(({ pid }) => pid)
  })
  return (name) => {
    for (const pid of [...pids, Number(postmaster)]) signal(pid, name)
  }
}

/** Some processes end in the meantime, such as the backend of the query that listed them. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error
  }
}

/** Files that a running server removes during the copy may be missing: WAL replay handles that. */
function copy(from: string, to: string): void {
  try {
    execFileSync('cp', ['-a', from, to], { stdio: 'pipe' })
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    const odd = said.split('\n').filter((line) => line && !line.includes('No such file'))
    if (odd.length > 0) throw error
  }
}

/** Runs `work` with a new connection to a server. */
export async function withAdminClient<T>(
  url: string,
  work: (admin: pg.Client) => Promise<T>,
): Promise<T> {
  const admin = new pg.Client(url)
  // If the server is killed, the query itself fails with the error.
  admin.on('error', () => {})
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

async function until(is: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + START_TIMEOUT_MS; !(await is()); await pause(30)) {
    if (performance.now() > end) throw new Error('PostgreSQL does not get so far')
  }
}
