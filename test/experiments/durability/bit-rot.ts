import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { findDatabaseDamage } from '#db/installation/data-dir.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'
import { startWriters, type TrackedWrite } from '../../support/load/http-writers.ts'
import { endServer, seedDataDir, startServer } from '../../support/server/server-process.ts'
import { createMemoryTempDir, createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import type { TestWorkspace } from '../../support/world/test-workspace.ts'

const PAGE_BYTES = 4_096
const [DB, WAL] = ['docket.db', 'docket.db-wal']

/** The files of a server that was killed under load, and the credentials of its people. */
export interface KilledServerFiles {
  team: TestWorkspace
  /** The database and its write-ahead log. */
  db: Buffer
  wal: Buffer
  /** The database after a checkpoint. */
  merged: Buffer
}

export async function killAndReadFiles(): Promise<KilledServerFiles> {
  const dataDir = createTempDir()
  const team = await seedDataDir(dataDir)
  const server = await startServer(dataDir)
  const log: TrackedWrite[] = []
  const load = startWriters(server.port, team, 4, log)
  while (log.length < 200) await pause(20)
  await endServer(server, 'SIGKILL')
  await load.stop()
  const [dbPath, walPath] = [join(dataDir, DB), join(dataDir, WAL)]
  const [db, wal] = [readFileSync(dbPath), readFileSync(walPath)]
  new DatabaseSync(dbPath).exec('pragma wal_checkpoint(truncate)')
  return { team, db, wal, merged: readFileSync(dbPath) }
}

export interface BitRotResult {
  /** How many starts were refused, and how many were served. */
  refused: number
  served: number
  faults: string[]
}

/** Flips bits of the files or cuts one off, and starts on them; each time from the original files. */
export async function startOnRottenFiles(
  left: KilledServerFiles,
  times: number,
): Promise<BitRotResult> {
  const dataDir = createMemoryTempDir()
  const result: BitRotResult = { refused: 0, served: 0, faults: [] }
  for (let time = 0; time < times; time++) {
    const corruption = writeCorruptedFiles(dataDir, left, time)
    const faults = await startAndFindFaults(dataDir, left.team)
    result[faults ? 'served' : 'refused'] += 1
    result.faults.push(...(faults ?? []).map((fault) => `${corruption}: ${fault}`))
  }
  return result
}

/**
 * Starts on a database in which one index is damaged that no request reads. Returns the faults of what
 * is served, none if the start is refused.
 */
export async function startOnDamagedIndex(left: KilledServerFiles): Promise<string[] | undefined> {
  const dataDir = createMemoryTempDir()
  writeFileSync(join(dataDir, DB), left.merged)
  const db = new DatabaseSync(join(dataDir, DB))
  const [index] = db
    .prepare("select rootpage from sqlite_schema where type = 'index' and tbl_name = 'passkeys'")
    .all()
  db.close()
  const damaged = Buffer.from(left.merged)
  // The first byte of a page tells its kind, and there is no kind 0 (SQLite file format, 1.6).
  damaged.writeUInt8(0, (Number(index?.rootpage) - 1) * PAGE_BYTES)
  for (const [name, bytes] of [[DB, damaged] as const, [WAL, ''] as const]) {
    writeFileSync(join(dataDir, name), bytes)
  }
  return startAndFindFaults(dataDir, left.team)
}

/** Why a start with damaged files is refused. */
const REFUSAL =
  /malformed|not a database|disk I.O error|is not the secret|unable to authenticate data|authentication tag length|has schema version|keys for Web Push are missing/

/** The faults of what is served from these files. None if the start is refused. */
async function startAndFindFaults(
  dataDir: string,
  team: TestWorkspace,
): Promise<string[] | undefined> {
  const isFileDamaged = isDamaged(dataDir)
  if (findDatabaseDamage(dataDir) !== undefined) return undefined
  try {
    const faults = await findServingFaults(dataDir, team)
    return isFileDamaged ? [...faults, 'is served, and damaged'] : faults
  } catch (error) {
    if (!REFUSAL.test(String(error))) throw error
    return undefined
  }
}

/** Writes the files with random bytes of one of them changed, or with its end cut off. */
function writeCorruptedFiles(
  dataDir: string,
  { db, wal, merged }: KilledServerFiles,
  time: number,
): string {
  const which = (['merged', 'wal', 'db'] as const)[time % 3] ?? 'merged'
  const rotten = Buffer.from({ db, wal, merged }[which])
  const randomOffset = Math.floor(Math.random() * rotten.length)
  // Damage at the head of a page does the most harm.
  const at = time % 2 === 0 ? randomOffset - (randomOffset % PAGE_BYTES) : randomOffset
  const flips = 1 + (time % 40)
  for (let flip = 0; flip < flips; flip++) {
    const offset = (at + flip * 97) % rotten.length
    rotten.writeUInt8(rotten.readUInt8(offset) ^ (1 << (flip % 8)), offset)
  }
  const cut = time % 10 === 9
  const bytes = cut ? rotten.subarray(0, at) : rotten
  const files = { merged: [bytes, ''], wal: [db, bytes], db: [bytes, wal] }[which]
  for (const [index, name] of [DB, WAL].entries()) {
    writeFileSync(join(dataDir, name), files[index] ?? '')
  }
  rmSync(join(dataDir, `${DB}-shm`), { force: true })
  return `${which} ${cut ? 'cut' : 'rotten'} at ${at}`
}

/** Whether SQLite itself finds damage, in a copy of the files. */
function isDamaged(dataDir: string): boolean {
  const copyDir = createMemoryTempDir()
  for (const name of [DB, WAL]) copyFileSync(join(dataDir, name), join(copyDir, name))
  try {
    const db = new DatabaseSync(join(copyDir, DB))
    try {
      return JSON.stringify(db.prepare('pragma quick_check').all()) !== '[{"quick_check":"ok"}]'
    } finally {
      db.close()
    }
  } catch {
    return true
  } finally {
    rmSync(copyDir, { recursive: true })
  }
}

/**
 * Reads everything and writes a little. Damage that SQLite detects must be a 503. SQLite cannot
 * detect a changed value, so code that cannot read one may answer 500 `internal_error`.
 */
async function findServingFaults(dataDir: string, team: TestWorkspace): Promise<string[]> {
  const config = parseConfig({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET })
  const { storage, secret } = await openStore(config)
  const { server } = await createApp(storage, config, secret, openLog('silent'))
  const faults: string[] = []
  try {
    const paths = ['/tasks?limit=200', '/tasks?q=task', '/events?limit=200', '/projects']
    for (const path of [
      ...paths,
      `/projects/${team.project}/tasks?limit=200`,
      '/workspace/members',
    ]) {
      faults.push(...(await requestAndCheck('GET', path)))
    }
    for (let write = 0; write < 3; write++)
      faults.push(...(await requestAndCheck('POST', '/tasks')))
  } finally {
    await server.close()
    await storage.close()
  }
  return faults

  async function requestAndCheck(method: 'GET' | 'POST', path: string): Promise<string[]> {
    const task = { project_id: team.project, title: 'After the rot' }
    const reply = await server.inject({
      method,
      url: `/api/v1${path}`,
      headers: {
        authorization: `Bearer ${team.keys.owner}`,
        'content-type': 'application/json',
      },
      ...(method === 'POST' && { payload: JSON.stringify(task) }),
    })
    const isAcceptable =
      reply.statusCode < 500 ||
      reply.statusCode === 503 ||
      (reply.statusCode === 500 && reply.json().error.code === 'internal_error')
    return isAcceptable
      ? []
      : [`${method} ${path} is ${reply.statusCode} ${reply.body.slice(0, 200)}`]
  }
}
