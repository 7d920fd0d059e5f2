import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { query } from '#db/core/statement.ts'
import { createRequestUsage } from '#rate-limits/rate-limiter.ts'
import { openFreshStore } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { writeRequestCounts } from './jobs.ts'
import { purgeRequestCounts } from './purges.ts'

const HOUR = 60 * 60 * 1000

const countsOf = query((db) =>
  db.selectFrom('request_counts').select(['credential_id', 'used', 'refused']).orderBy('at'),
)

for (const engine of ENGINES) {
  test(`stores, adds up and purges request counts (${engine})`, async () => {
    const clock = createTestClock()
    // Counts are per minute: this is within one.
    clock.set(Date.parse('2026-03-02T12:00:30Z'))
    // On a database of its own: with this clock, the job would purge the counts of other tests.
    const { storage } = await openFreshStore(engine, clock)
    const { workspace: workspace_id } = await createTestWorkspace(storage)
    const actor = {
      ...ANONYMOUS_ACTOR,
      workspace_id,
      credential_id: 'key_1',
      credential_name: "O'Hara",
    }
    const [one, other] = [createRequestUsage(clock.now), createRequestUsage(clock.now)]
    for (const usage of [one, one, other]) usage.record(actor, false)
    other.record(actor, true)
    // The counts of a deleted workspace are dropped without an error.
    other.record({ ...actor, workspace_id: 'wsp_gone' }, false)
    const counts = () => storage.read(actor, (tx) => tx.all(countsOf, {}))
    await Promise.all([writeRequestCounts(storage, one)(), writeRequestCounts(storage, other)()])
    assert.deepEqual(await counts(), [{ credential_id: 'key_1', used: 3, refused: 1 }])

    clock.advance(23 * HOUR)
    assert.equal(await purgeRequestCounts(storage)(), false)
    assert.equal((await counts()).length, 1)
    clock.advance(HOUR)
    await purgeRequestCounts(storage)()
    assert.deepEqual(await counts(), [])
  })
}
