import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { findDatabaseFaults } from '../support/load/check-database.ts'
import { sendHttp, type TrackedWrite } from '../support/load/http-writers.ts'
import { startRetryingWriters } from '../support/load/retrying-writers.ts'
import {
  endServer,
  isServerReady,
  seedDataDir,
  startServer,
} from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'

const WRITERS = 8
/** Such a database fails where a full disk would, and needs no privileges. */
const MAX_PAGES = 6_000
const MAX_DESCRIPTION = 8_000

test('answers writes with 503 on a full disk, serves reads, and recovers without a restart', async () => {
  const dataDir = createTempDir()
  const path = join(dataDir, 'docket.db')
  const team = await seedDataDir(dataDir)
  const server = await startServer(dataDir, {
    entry: 'test/support/server-variants/small-disk.ts',
    env: { TEST_MAX_PAGES: String(MAX_PAGES) },
  })
  const agent = new Agent({ keepAlive: true })
  const log: TrackedWrite[] = []
  const load = startRetryingWriters(server.port, team, WRITERS, log, MAX_DESCRIPTION)
  try {
    await waitUntil('writes', () => load.acked >= WRITERS)
    fillDatabase(path)
    await waitUntil('a full disk', () => areWritesRefused(load))
    // Readiness is cached for a moment.
    await waitUntil('no readiness', async () => !(await isServerReady(server.port)))
    const headers = { authorization: `Bearer ${team.keys.owner}` }
    const read = await sendHttp(agent, server.port, 'GET', '/api/v1/tasks?limit=1', headers)
    assert.equal(read.status, 200)
    withDatabase(path, (db) => db.exec("delete from installation where name like 'filler %'"))
    const { acked } = load
    await waitUntil(
      'the recovery',
      async () => load.acked >= acked + WRITERS && (await isServerReady(server.port)),
    )
  } finally {
    agent.destroy()
    assert.deepEqual(await load.stop(), [])
    await endServer(server, 'SIGKILL')
  }
  assert.deepEqual(findDatabaseFaults(path, log), [])
  assert.ok(load.refused > 20, `${load.refused} refused`)
})

/** A nearly full disk still takes small writes, so each writer has to be refused several times. */
async function areWritesRefused(load: { acked: number; refused: number }): Promise<boolean> {
  const { acked, refused } = load
  await waitUntil('refusals', () => load.acked > acked || load.refused >= refused + 4 * WRITERS)
  return load.acked === acked
}

function fillDatabase(path: string): void {
  withDatabase(path, (db) => {
    const insertFiller = db.prepare(
      "insert into installation select 'filler ' || count(*), hex(zeroblob(30000)) from installation",
    )
    assert.throws(() => {
      for (;;) insertFiller.run()
    }, /is full/)
    // A little room is left, so that some of the concurrent writes fit and others do not.
    db.exec('delete from installation where rowid > (select max(rowid) - 3 from installation)')
  })
}

function withDatabase(path: string, work: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(path, { timeout: 5_000 })
  db.exec(`pragma synchronous = off; pragma max_page_count = ${MAX_PAGES}`)
  work(db)
  db.close()
}
