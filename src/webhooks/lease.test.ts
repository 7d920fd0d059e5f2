import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine, Storage } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import {
  closeAfterFile,
  createEmptyDatabase,
  TEST_STORE_OPTIONS,
} from '#test/support/engines/test-database.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { DISPATCHER_LEASE_TTL_MS, startLease, WorkspaceClaim } from './queue.ts'

const MINUTE = 60_000
const clock = createTestClock()
const stores = new Map<DatabaseEngine, Storage>()

before(async () => {
  const path = join(createTempDir(), 'docket.db')
  const options = { ...TEST_STORE_OPTIONS, clock }
  stores.set('sqlite', closeAfterFile(openSqlite({ path, ...options })))
  if (!ENGINES.includes('postgres')) return
  const { url } = await createEmptyDatabase()
  stores.set('postgres', closeAfterFile(await openPostgres({ url, ...options })))
})

const storeOf = (engine: DatabaseEngine) => stores.get(engine) ?? assert.fail(engine)

/**
 * The dispatchers with a lease after each of `ids` has started at its offset from now, in order.
 */
async function leasesAfter(t: CleanupContext, storage: Storage, ids: readonly [string, number][]) {
  const now = clock.now()
  t.after(() => clock.set(now))
  for (const [id, ms] of ids) {
    clock.set(now + ms)
    const life = await startLease(storage, id, () => {})
    t.after(() => life.release())
  }
  const rows = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(dispatcherIds, {}))
  return rows.map(({ id }) => id)
}

interface CleanupContext {
  after(undo: () => unknown): void
}

for (const engine of ENGINES) {
  test(`removes the lease of a killed dispatcher after the clock was set back (${engine})`, async (t) => {
    const order: [string, number][] = [
      ['killed', 60 * MINUTE],
      ['next', 0],
    ]
    assert.deepEqual(await leasesAfter(t, storeOf(engine), order), ['next'])
  })

  test(`removes a lease that expired a whole lease ago (${engine})`, async (t) => {
    const order: [string, number][] = [
      ['killed', -2 * DISPATCHER_LEASE_TTL_MS - 1],
      ['next', 0],
    ]
    assert.deepEqual(await leasesAfter(t, storeOf(engine), order), ['next'])
  })

  test(`a dispatcher that has lost its claim writes nothing (${engine})`, async (t) => {
    const storage = storeOf(engine)
    const now = clock.now()
    t.after(() => clock.set(now))
    const { workspace } = await createTestWorkspace(storage)
    const createClaim = async (id: string) => {
      const life = await startLease(storage, id, () => {})
      t.after(() => life.release())
      return new WorkspaceClaim(storage, { ...ANONYMOUS_ACTOR, workspace_id: workspace }, id)
    }
    const results: string[] = []
    const write = (claim: WorkspaceClaim, result: string) =>
      claim.writeAsHolder(async () => {
        results.push(result)
        return result
      })
    const late = await createClaim('late')
    assert.ok(await late.acquire())
    assert.equal(await write(late, 'in time'), 'in time')
    // As after a stop of its process: its lease has ended, and another one has taken over.
    clock.set(now + DISPATCHER_LEASE_TTL_MS + 1)
    const next = await createClaim('next')
    assert.ok(await next.acquire())
    assert.equal(await write(late, 'late'), undefined)
    assert.equal(await write(late, 'late again'), undefined)
    assert.equal(await write(next, 'of the next'), 'of the next')
    assert.deepEqual(results, ['in time', 'of the next'])
  })
}

test('an embedded database keeps the lease of one dispatcher only', async (t) => {
  const order: [string, number][] = [
    ['killed', -1_000],
    ['next', 0],
  ]
  assert.deepEqual(await leasesAfter(t, storeOf('sqlite'), order), ['next'])
})

if (ENGINES.includes('postgres')) {
  test('keeps the leases of servers whose clocks differ by a minute', async (t) => {
    const order: [string, number][] = [
      ['ahead', MINUTE],
      ['other', 0],
    ]
    assert.deepEqual(await leasesAfter(t, storeOf('postgres'), order), ['ahead', 'other'])
  })
}

const dispatcherIds = unscopedQuery((db) => db.selectFrom('dispatchers').select('id').orderBy('id'))
