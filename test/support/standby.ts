import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { newHome, urlOf } from './embedded.ts'
import { freePort } from './port.ts'
import { dataIn, ended, startPostmaster, watched } from './postmaster.ts'

/** A server that has something to be copied: its address, and where its data lies. */
interface Server {
  url: string
  port: number
  dataDir: string
}

/** A real PostgreSQL that follows another one. */
export interface Standby extends Server {
  /** Makes it a primary, and takes writes when it ends. */
  promote(): Promise<void>
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>
  remove(): Promise<void>
}

const START_MS = 60_000

/** Makes a standby of a primary that runs on meanwhile: a base backup by hand, as npm has no pg_basebackup. */
export async function standbyOf(primary: Server): Promise<Standby> {
  const home = newHome()
  const remove = watched(home)
  const dataDir = dataIn(home)
  await asked(primary.url, async (admin) => {
    await admin.query("select pg_backup_start('standby', true)")
    copy(primary.dataDir, dataDir)
    const { rows } = await admin.query('select labelfile from pg_backup_stop(false)')
    writeFileSync(join(dataDir, 'backup_label'), rows[0].labelfile)
  })
  writeFileSync(join(dataDir, 'standby.signal'), '')
  rmSync(join(dataDir, 'postmaster.pid'), { force: true })
  const { uid, gid } = statSync(primary.dataDir)
  execFileSync('chown', ['-R', `${uid}:${gid}`, home])
  const follows = `host=127.0.0.1 port=${primary.port} user=postgres password=password application_name=standby`
  const settings = [`primary_conninfo=${follows}`, 'synchronous_standby_names=']
  const port = await freePort()
  const postgres = await startPostmaster(home, port, settings)
  const url = urlOf(port)
  return {
    ...{ url, port, dataDir, remove },
    promote: () => asked(url, async (admin) => void (await admin.query('select pg_promote(true)'))),
    kill: () => ended(postgres, 'SIGKILL'),
  }
}

/** From now on a commit is one when the standby has it too. Ends when that is so. */
export async function waitForStandby(primary: Server): Promise<void> {
  await asked(primary.url, async (admin) => {
    await admin.query("alter system set synchronous_standby_names = 'standby'")
    await admin.query('select pg_reload_conf()')
    const sync = "select from pg_stat_replication where sync_state = 'sync'"
    await until(async () => (await admin.query(sync)).rowCount === 1)
  })
}

/** Sends a signal to all processes of a server: with SIGSTOP it takes connections and says nothing. */
export async function signalled(server: Server): Promise<(name: NodeJS.Signals) => void> {
  const [postmaster] = readFileSync(join(server.dataDir, 'postmaster.pid'), 'utf8').split('\n')
  const pids = await asked(server.url, async (admin) => {
    // From here on no process is added.
    process.kill(Number(postmaster), 'SIGSTOP')
    const { rows } = await admin.query<{ pid: number }>('select pid from pg_stat_activity')
    return rows.map(({ pid }) => pid)
  })
  return (name) => {
    for (const pid of [...pids, Number(postmaster)]) signal(pid, name)
  }
}

/** Some end by themselves in between, such as the one that was asked for them. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error
  }
}

/** What a running server removes while it is copied is not missed: its log tells of that. */
function copy(from: string, to: string): void {
  try {
    execFileSync('cp', ['-a', from, to], { stdio: 'pipe' })
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    const odd = said.split('\n').filter((line) => line && !line.includes('No such file'))
    if (odd.length > 0) throw error
  }
}

/** Asks a server over a connection of its own. */
export async function asked<T>(url: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client(url)
  // Of one whose server is killed: its query fails and tells of it.
  admin.on('error', () => {})
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

async function until(is: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + START_MS; !(await is()); await pause(30)) {
    if (performance.now() > end) throw new Error('PostgreSQL does not get so far')
  }
}
