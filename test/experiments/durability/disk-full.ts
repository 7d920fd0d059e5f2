import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import {
  endServer,
  isServerReady,
  seedDataDir,
  startServer,
} from '../../support/server/server-process.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { sendHttp, type TrackedWrite } from '../load/http-writers.ts'
import { startRetryingWriters } from '../load/retrying-writers.ts'
import { findDatabaseFaults } from './check-database.ts'

/** A data directory whose disk can be filled and freed while the server runs. */
interface FillableDisk {
  dataDir: string
  /** A server other than Docket's own, and its environment. */
  entry?: string
  env: Record<string, string>
  /** Maximum length of a description: later rounds need room too. */
  maxLength: number
  /** Takes almost all free space. Concurrent writers may take it first. */
  fill(): void
  free(): void
  remove(): void
}

const WRITERS = 8

interface FullDiskResult {
  /** Writes that were acknowledged, and writes that were refused on the full disk. */
  acks: number
  refused: number
  wrong: string[]
}

/** More than filling the disk and recovering takes, even on a busy machine. */
const RECOVERY_TIMEOUT_MS = 60_000
/** Shorter for the control: its server never reports a full disk, so waiting is useless. */
const CONTROL_TIMEOUT_MS = 2_000

/**
 * Fills the disk under load, again and again. While it is full, writes must be 503 and reads 200;
 * once there is room the server must recover by itself.
 */
export async function writeToFullDisk(
  rounds: number,
  createDisk: () => FillableDisk,
  timeoutMs = RECOVERY_TIMEOUT_MS,
): Promise<FullDiskResult> {
  const holdsInTime = (holds: () => boolean | Promise<boolean>) => holdsWithin(timeoutMs, holds)
  const disk = createDisk()
  const { dataDir, entry, env, maxLength } = disk
  const wrong: string[] = []
  const log: TrackedWrite[] = []
  try {
    const team = await seedDataDir(dataDir)
    const server = await startServer(dataDir, { entry, env })
    const agent = new Agent({ keepAlive: true })
    const headers = { authorization: `Bearer ${team.keys.owner}` }
    const load = startRetryingWriters(server.port, team, WRITERS, log, maxLength)
    try {
      for (let round = 0; round < rounds; round++) {
        const before = load.acked
        if (!(await holdsInTime(() => load.acked >= before + WRITERS))) wrong.push('no writes')
        disk.fill()
        if (!(await holdsInTime(() => areWritesRefused(load, holdsInTime)))) wrong.push('not full')
        // Readiness is cached for a moment.
        if (!(await holdsInTime(async () => !(await isServerReady(server.port)))))
          wrong.push('ready on a full disk')
        const path = '/api/v1/tasks?limit=1'
        const { status } = await sendHttp(agent, server.port, 'GET', path, headers)
        if (status !== 200) wrong.push(`reads are ${status} on a full disk`)
        disk.free()
        const acked = load.acked
        const hasRecovered = async () =>
          load.acked >= acked + WRITERS && (await isServerReady(server.port))
        if (!(await holdsInTime(hasRecovered))) wrong.push('not healed')
      }
    } finally {
      wrong.push(...(await load.stop()))
      agent.destroy()
      await endServer(server, 'SIGKILL')
    }
    wrong.push(...findDatabaseFaults(join(dataDir, 'docket.db'), log))
    return { acks: load.acked, refused: load.refused, wrong }
  } finally {
    disk.remove()
  }
}

/** A nearly full disk still takes small writes, so each writer has to be refused several times. */
async function areWritesRefused(
  load: { acked: number; refused: number },
  holdsInTime: (holds: () => boolean) => Promise<boolean>,
): Promise<boolean> {
  const { acked, refused } = load
  await holdsInTime(() => load.acked > acked || load.refused >= refused + 4 * WRITERS)
  return load.acked === acked && load.refused > refused
}

async function holdsWithin(ms: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > deadline) return false
    await pause(20)
  }
  return true
}

/** A database with a page limit: needs no privileges, and fails where a full disk would. */
export function createPageLimitedDisk(
  entry = 'test/support/server-variants/small-disk.ts',
  pages = 6_000,
): FillableDisk {
  const dataDir = createTempDir()
  function withDatabase(work: (db: DatabaseSync) => void) {
    const db = new DatabaseSync(join(dataDir, 'docket.db'), { timeout: 5_000 })
    db.exec(`pragma synchronous = off; pragma max_page_count = ${pages}`)
    work(db)
    db.close()
  }
  return {
    dataDir,
    entry,
    env: { TEST_MAX_PAGES: String(pages) },
    maxLength: 8_000,
    fill: () =>
      withDatabase((db) => {
        const insertFiller = db.prepare(
          "insert into installation select 'filler ' || count(*), hex(zeroblob(30000)) from installation",
        )
        repeatUntilFull(() => insertFiller.run())
        // A little room is left, so that some of the concurrent writes fit and others do not.
        db.exec('delete from installation where rowid > (select max(rowid) - 3 from installation)')
      }),
    free: () =>
      withDatabase((db) => db.exec("delete from installation where name like 'filler %'")),
    remove: () => {},
  }
}

/** A small file system of its own; only root may mount one. */
function smallFileSystem(): FillableDisk {
  const dataDir = createTempDir()
  const filler = join(dataDir, 'filler')
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dataDir])
  return {
    dataDir,
    env: {},
    maxLength: 200,
    fill: () => repeatUntilFull(() => appendFileSync(filler, Buffer.alloc(65_536))),
    free: () => rmSync(filler),
    remove: () => execFileSync('umount', [dataDir]),
  }
}

function repeatUntilFull(more: () => void): void {
  try {
    for (;;) more()
  } catch (error) {
    if (!/ENOSPC|is full/.test(String(error))) throw error
  }
}

/**
 * Returns what a server loses that ignores the loss of a transaction. That needs a write that fits
 * just before one that does not, which two of three disks give: so more are tried until one does.
 */
export async function findLossOnFullDisk(disks: number): Promise<string[]> {
  for (let tried = 0; tried < disks; tried++) {
    const createDisk = () =>
      createPageLimitedDisk('test/support/controls/lost-transaction-ignored.ts')
    const { wrong } = await writeToFullDisk(1, createDisk, CONTROL_TIMEOUT_MS)
    const lost = wrong.filter((one) => one.startsWith('lost: '))
    if (lost.length > 0) return lost
  }
  return []
}

if (process.argv.includes('--full')) {
  assert.notDeepEqual(
    await findLossOnFullDisk(12),
    [],
    'a transaction that is lost must be found out',
  )
  const manyPages = () =>
    createPageLimitedDisk('test/support/server-variants/small-disk.ts', 24_000)
  for (const createDisk of [manyPages, smallFileSystem]) {
    const { wrong, ...counts } = await writeToFullDisk(10, createDisk)
    console.log(createDisk.name, counts)
    assert.deepEqual(wrong, [])
  }
}
