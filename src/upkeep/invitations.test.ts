import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { invite } from '#resources/invitations/operations.ts'
import { query, type Scoped } from '#storage/statement.ts'
import { createTestClock } from '#test/support/clock.ts'
import { ENGINES } from '#test/support/engines.ts'
import { freshDocket } from '#test/support/fresh.ts'
import { newHome } from '#test/support/home.ts'
import { forgetInvitations } from './invitations.ts'

const DAY = 24 * 60 * 60 * 1000

const kept = query((db, $: Scoped) =>
  db.selectFrom('invitations').selectAll().where('workspace_id', '=', $.workspace_id),
)

for (const engine of ENGINES) {
  test(`an invitation is kept without its token, and forgotten a month after its end (${engine})`, async () => {
    const clock = createTestClock()
    // On a database of its own: with this clock, upkeep would take away what is of other tests.
    const { storage } = await freshDocket(engine, {}, { clock })
    const { workspace: workspace_id, people } = await newHome(storage)
    const actor = { ...NOBODY, role: 'owner', workspace_id, user_id: people.owner } as const
    const { token } = await storage.write(actor, (tx) =>
      invite(tx, { email: 'ada@example.com', role: 'member' }),
    )
    const rows = () => storage.read(actor, (tx) => tx.all(kept, {}))
    assert.equal((await rows()).length, 1)
    assert.ok(token.length === 43 && !JSON.stringify(await rows()).includes(token))

    clock.advance(37 * DAY - 60_000)
    await forgetInvitations(storage)()
    assert.equal((await rows()).length, 1)
    clock.advance(60_000)
    await forgetInvitations(storage)()
    assert.deepEqual(await rows(), [])
  })
}
