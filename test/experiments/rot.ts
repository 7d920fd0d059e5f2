import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { openLog } from '#http/log.ts'
import { damageOf } from '#storage/data-dir.ts'
import { openStore } from '#storage/open.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir, emptyDirInMemory } from '../support/dir.ts'
import type { Home } from '../support/home.ts'
import { end, SECRET, settle, start } from '../support/process.ts'
import { type Asked, writers } from './load.ts'

const PAGE = 4_096
const [DB, WAL] = ['docket.db', 'docket.db-wal']

type Check = (dataDir: string) => string | undefined

/** Nobody looks at the database before it is served: the experiment must find it out. */
export const unchecked = (): undefined => undefined

/** What a server left that was killed at work, and who may ask. */
export interface Left {
  home: Home
  /** The database and its log, and the database with the log copied into it. */
  db: Buffer
  wal: Buffer
  merged: Buffer
}

export async function leftByKill(): Promise<Left> {
  const dataDir = emptyDir()
  const home = await settle(dataDir)
  const server = await start(dataDir)
  const log: Asked[] = []
  const load = writers(server.port, home, 4, log)
  while (log.length < 200) await pause(20)
  await end(server, 'SIGKILL')
  await load.stop()
  const [path, logged] = [join(dataDir, DB), join(dataDir, WAL)]
  const [db, wal] = [readFileSync(path), readFileSync(logged)]
  new DatabaseSync(path).exec('pragma wal_checkpoint(truncate)')
  return { home, db, wal, merged: readFileSync(path) }
}

export interface Rotten {
  /** Starts that were refused, and those that were not. */
  refused: number
  served: number
  faults: string[]
}

/** E05: lets bits rot, or cuts a file, and starts anew, each time with the files as they were left. */
export async function rotting(left: Left, times: number, check: Check = damageOf): Promise<Rotten> {
  const [dataDir, beside] = [emptyDirInMemory(), emptyDirInMemory()]
  const found: Rotten = { refused: 0, served: 0, faults: [] }
  for (let time = 0; time < times; time++) {
    const what = spoil(dataDir, left, time)
    const damaged = isDamaged(dataDir, beside)
    if (check(dataDir) !== undefined) {
      found.refused += 1
      continue
    }
    try {
      const faults = await faultsIn(dataDir, left.home)
      found.served += 1
      if (damaged) faults.push('is served, and damaged')
      found.faults.push(...faults.map((fault) => `${what}: ${fault}`))
    } catch (error) {
      if (!/malformed|not a database|disk I.O error|is not the secret/.test(String(error)))
        throw error
      found.refused += 1
    }
  }
  return found
}

/** Puts the files there with bytes of one of them changed at random places, or cut off. */
function spoil(dataDir: string, { db, wal, merged }: Left, time: number): string {
  const which = (['merged', 'wal', 'db'] as const)[time % 3] ?? 'merged'
  const rotten = Buffer.from({ db, wal, merged }[which])
  const anywhere = Math.floor(Math.random() * rotten.length)
  // At the head of a page there is most to be damaged.
  const at = time % 2 === 0 ? anywhere - (anywhere % PAGE) : anywhere
  const flips = 1 + (time % 40)
  for (let flip = 0; flip < flips; flip++) {
    const place = (at + flip * 97) % rotten.length
    rotten.writeUInt8(rotten.readUInt8(place) ^ (1 << (flip % 8)), place)
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

/** What SQLite itself has to say, looked at beside. */
function isDamaged(dataDir: string, beside: string): boolean {
  rmSync(join(beside, `${DB}-shm`), { force: true })
  for (const name of [DB, WAL]) copyFileSync(join(dataDir, name), join(beside, name))
  try {
    const db = new DatabaseSync(join(beside, DB))
    try {
      return JSON.stringify(db.prepare('pragma quick_check').all()) !== '[{"quick_check":"ok"}]'
    } finally {
      db.close()
    }
  } catch {
    return true
  }
}

/**
 * Reads everything and writes a little. What SQLite finds damaged is 503. A value that rotted looks like any other to
 * it; who cannot read it says so, as of any fault that nobody foresaw.
 */
async function faultsIn(dataDir: string, home: Home): Promise<string[]> {
  const config = configFrom({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET })
  const { storage, secret } = await openStore(config)
  const { server } = await app(storage, config, secret, openLog('silent'))
  const faults: string[] = []
  try {
    const asking = ['/tasks?limit=200', '/tasks?q=task', '/events?limit=200', '/projects']
    for (const path of [
      ...asking,
      `/projects/${home.project}/tasks?limit=200`,
      '/workspace/members',
    ]) {
      faults.push(...(await faultOf('GET', path)))
    }
    for (let write = 0; write < 3; write++) faults.push(...(await faultOf('POST', '/tasks')))
  } finally {
    await server.close()
    await storage.close()
  }
  return faults

  async function faultOf(method: 'GET' | 'POST', path: string): Promise<string[]> {
    const task = { project_id: home.project, title: 'After the rot' }
    const reply = await server.inject({
      method,
      url: `/api/v1${path}`,
      headers: {
        authorization: `Bearer ${home.keys.owner}`,
        'content-type': 'application/json',
      },
      ...(method === 'POST' && { payload: JSON.stringify(task) }),
    })
    const fine =
      reply.statusCode < 500 ||
      reply.statusCode === 503 ||
      (reply.statusCode === 500 && reply.json().error.code === 'internal_error')
    return fine ? [] : [`${method} ${path} is ${reply.statusCode} ${reply.body.slice(0, 200)}`]
  }
}

if (process.argv.includes('--full')) {
  const left = await leftByKill()
  const control = await rotting(left, 60, unchecked)
  assert.match(control.faults.join(), /is served, and damaged/)
  const found = await rotting(left, 300)
  console.log(found)
  assert.deepEqual(found.faults, [])
}
