import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { usageOf } from '#limits/usage.ts'
import { query, type Scoped } from '#storage/statement.ts'
import { createTestClock } from '#test/support/clock.ts'
import { ENGINES } from '#test/support/engines.ts'
import { freshDocket } from '#test/support/fresh.ts'
import { newHome } from '#test/support/home.ts'
import { forgetRequests, writeRequests } from './requests.ts'

const HOUR = 60 * 60 * 1000

const countsOf = query((db, $: Scoped) =>
  db
    .selectFrom('request_counts')
    .select(['credential_id', 'used', 'refused'])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('at'),
)

for (const engine of ENGINES) {
  test(`what was asked is written down, added up, and forgotten after a day (${engine})`, async () => {
    const clock = createTestClock()
    // Counts are of whole minutes: this is within one.
    clock.set(Date.parse('2026-03-02T12:00:30Z'))
    // On a database of its own: with this clock, what other tests count would be taken away.
    const { storage } = await freshDocket(engine, {}, { clock })
    const { workspace: workspace_id } = await newHome(storage)
    const actor = { ...NOBODY, workspace_id, credential_id: 'key_1', credential_name: "O'Hara" }
    const [one, other] = [usageOf(clock.now), usageOf(clock.now)]
    for (const usage of [one, one, other]) usage.note(actor, false)
    other.note(actor, true)
    // Of a workspace that is gone by now nothing is kept, and nothing fails.
    other.note({ ...actor, workspace_id: 'wsp_gone' }, false)
    const counts = () => storage.read(actor, (tx) => tx.all(countsOf, {}))
    await Promise.all([writeRequests(storage, one)(), writeRequests(storage, other)()])
    assert.deepEqual(await counts(), [{ credential_id: 'key_1', used: 3, refused: 1 }])

    clock.advance(23 * HOUR)
    assert.equal(await forgetRequests(storage)(), false)
    assert.equal((await counts()).length, 1)
    clock.advance(HOUR)
    await forgetRequests(storage)()
    assert.deepEqual(await counts(), [])
  })
}
