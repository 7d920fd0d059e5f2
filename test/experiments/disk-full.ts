import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { emptyDir } from '../support/dir.ts'
import { end, isReady, settle, start } from '../support/process.ts'
import { wrongWith } from './check.ts'
import { type Asked, send } from './load.ts'
import { stubbornWriters } from './stubborn.ts'

/** A place for a database that can be filled and freed beside the server. */
interface Place {
  dataDir: string
  /** The server that runs there, where it is not that of Docket, and what it is told. */
  entry?: string
  env: Record<string, string>
  /** Longest description of a task: what is written has to leave room for the rounds to come. */
  longest: number
  /** Takes all room that there is, but for a little; writers beside it may be faster. */
  fill(): void
  free(): void
  leave(): void
}

const WRITERS = 8

interface Outcome {
  /** Writes acknowledged, and writes refused for want of room. */
  acks: number
  refused: number
  wrong: string[]
}

/** More than it takes to be full, and to be well again, on a machine that has other work. */
const PATIENCE_MS = 60_000
/** The same of a server that never says that it is full: it is not waited for. */
const CONTROL_PATIENCE_MS = 2_000

/**
 * E03: some writers, and no room left, again and again. Writes must be 503 and reads 200 as long as
 * the disk is full, and all must be well again once there is room.
 */
export async function fullDisk(
  rounds: number,
  placeOf: () => Place,
  patienceMs = PATIENCE_MS,
): Promise<Outcome> {
  const within = (holds: () => boolean | Promise<boolean>) => isWithin(patienceMs, holds)
  const place = placeOf()
  const { dataDir, entry, env, longest } = place
  const wrong: string[] = []
  const log: Asked[] = []
  try {
    const home = await settle(dataDir)
    const server = await start(dataDir, { entry, env })
    const agent = new Agent({ keepAlive: true })
    const headers = { authorization: `Bearer ${home.keys.owner}` }
    const load = stubbornWriters(server.port, home, WRITERS, log, longest)
    try {
      for (let round = 0; round < rounds; round++) {
        const before = load.acked
        if (!(await within(() => load.acked >= before + WRITERS))) wrong.push('no writes')
        place.fill()
        if (!(await within(() => isStuck(load, within)))) wrong.push('not full')
        // What it said last is kept for a while.
        if (!(await within(async () => !(await isReady(server.port)))))
          wrong.push('ready on a full disk')
        const path = '/api/v1/tasks?limit=1'
        const { status } = await send(agent, server.port, 'GET', path, headers)
        if (status !== 200) wrong.push(`reads are ${status} on a full disk`)
        place.free()
        const acked = load.acked
        const healed = async () => load.acked >= acked + WRITERS && (await isReady(server.port))
        if (!(await within(healed))) wrong.push('not healed')
      }
    } finally {
      wrong.push(...(await load.stop()))
      agent.destroy()
      await end(server, 'SIGKILL')
    }
    wrong.push(...wrongWith(join(dataDir, 'docket.db'), log))
    return { acks: load.acked, refused: load.refused, wrong }
  } finally {
    place.leave()
  }
}

/** What is nearly full still takes what is small: then each writer is refused again and again. */
async function isStuck(
  load: { acked: number; refused: number },
  within: (holds: () => boolean) => Promise<boolean>,
): Promise<boolean> {
  const { acked, refused } = load
  await within(() => load.acked > acked || load.refused >= refused + 4 * WRITERS)
  return load.acked === acked && load.refused > refused
}

async function isWithin(ms: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > deadline) return false
    await pause(20)
  }
  return true
}

/** A database that may not grow: needs no rights, and fails where a full disk would. */
export function fewPages(entry = 'test/support/small-disk.ts', pages = 6_000): Place {
  const dataDir = emptyDir()
  function beside(work: (db: DatabaseSync) => void) {
    const db = new DatabaseSync(join(dataDir, 'docket.db'), { timeout: 5_000 })
    db.exec(`pragma synchronous = off; pragma max_page_count = ${pages}`)
    work(db)
    db.close()
  }
  return {
    dataDir,
    entry,
    env: { TEST_MAX_PAGES: String(pages) },
    longest: 8_000,
    fill: () =>
      beside((db) => {
        const more = db.prepare(
          "insert into installation select 'filler ' || count(*), hex(zeroblob(30000)) from installation",
        )
        filling(() => more.run())
        // A little is left, so that of those who write together some find room and some do not.
        db.exec('delete from installation where rowid > (select max(rowid) - 3 from installation)')
      }),
    free: () => beside((db) => db.exec("delete from installation where name like 'filler %'")),
    leave: () => {},
  }
}

/** A file system of its own, as small as that; only root may mount one. */
function smallFileSystem(): Place {
  const dataDir = emptyDir()
  const filler = join(dataDir, 'filler')
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dataDir])
  return {
    dataDir,
    env: {},
    longest: 200,
    fill: () => filling(() => appendFileSync(filler, Buffer.alloc(65_536))),
    free: () => rmSync(filler),
    leave: () => execFileSync('umount', [dataDir]),
  }
}

function filling(more: () => void): void {
  try {
    for (;;) more()
  } catch (error) {
    if (!/ENOSPC|is full/.test(String(error))) throw error
  }
}

/**
 * What is lost by a server that overlooks the loss of a transaction. Chance decides whether somebody
 * found room just before another did not: so it is given several disks.
 */
export async function lossIn(disks: number): Promise<string[]> {
  for (let disk = 0; disk < disks; disk++) {
    const place = () => fewPages('test/support/lost-ignored.ts')
    const { wrong } = await fullDisk(1, place, CONTROL_PATIENCE_MS)
    const lost = wrong.filter((one) => one.startsWith('lost: '))
    if (lost.length > 0) return lost
  }
  return []
}

if (process.argv.includes('--full')) {
  assert.notDeepEqual(await lossIn(4), [], 'a transaction that is lost must be found out')
  const manyPages = () => fewPages('test/support/small-disk.ts', 24_000)
  for (const placeOf of [manyPages, smallFileSystem]) {
    const { wrong, ...counts } = await fullDisk(10, placeOf)
    console.log(placeOf.name, counts)
    assert.deepEqual(wrong, [])
  }
}
