import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { openPostgres } from '#storage/postgres.ts'
import { openSqlite } from '#storage/sqlite.ts'
import { queryOfAll } from '#storage/statement.ts'
import { createTestClock } from '#test/support/clock.ts'
import { emptyDir } from '#test/support/dir.ts'
import { closing, emptyDatabase, surroundings } from '#test/support/store.ts'
import { LEASE_MS, live } from './life.ts'

const MINUTE = 60_000
const clock = createTestClock()
const stores: Storage[] = []

before(async () => {
  const { url } = await emptyDatabase()
  stores.push(
    closing(openSqlite({ path: join(emptyDir(), 'docket.db'), ...surroundings, clock })),
    closing(await openPostgres({ url, ...surroundings, clock })),
  )
})

/** Who is known to send when `ids` have begun one after the other, each so many milliseconds from now. */
async function knownAfter(t: Ended, storage: Storage, ids: readonly [string, number][]) {
  const now = clock.now()
  t.after(() => clock.set(now))
  for (const [id, ms] of ids) {
    clock.set(now + ms)
    const life = await live(storage, id, () => {})
    t.after(() => life.end())
  }
  const rows = await storage.read(NOBODY, (tx) => tx.all(known, {}))
  return rows.map(({ id }) => id)
}

interface Ended {
  after(undo: () => unknown): void
}

for (const at of [0, 1] as const) {
  const engine = ['sqlite', 'postgres'][at]
  const storeOf = () => stores[at] as Storage

  test(`who was killed before the clock was set back is forgotten (${engine})`, async (t) => {
    const order: [string, number][] = [
      ['killed', 60 * MINUTE],
      ['next', 0],
    ]
    assert.deepEqual(await knownAfter(t, storeOf(), order), ['next'])
  })

  test(`who has not been heard of for two leases is forgotten (${engine})`, async (t) => {
    const order: [string, number][] = [
      ['killed', -2 * LEASE_MS - 1],
      ['next', 0],
    ]
    assert.deepEqual(await knownAfter(t, storeOf(), order), ['next'])
  })
}

test('beside an embedded database there is nobody else', async (t) => {
  const order: [string, number][] = [
    ['killed', -1_000],
    ['next', 0],
  ]
  assert.deepEqual(await knownAfter(t, stores[0] as Storage, order), ['next'])
})

test('servers whose clocks differ by a minute both live', async (t) => {
  const order: [string, number][] = [
    ['ahead', MINUTE],
    ['other', 0],
  ]
  assert.deepEqual(await knownAfter(t, stores[1] as Storage, order), ['ahead', 'other'])
})

const known = queryOfAll((db) => db.selectFrom('dispatchers').select('id').orderBy('id'))
