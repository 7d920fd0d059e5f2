import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUserActor } from '#core/actor.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { invite } from '#resources/invitations/operations.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { purgeExpiredInvitations } from './purges.ts'

const DAY = 24 * 60 * 60 * 1000

const invitations = query((db, $: Scoped) =>
  db.selectFrom('invitations').selectAll().where('workspace_id', '=', $.workspace_id),
)

for (const engine of ENGINES) {
  test(`stores an invitation without its token and purges it a month after it expires (${engine})`, async () => {
    const clock = createTestClock()
    // On a database of its own: with this clock, the job would purge the data of other tests.
    const { storage } = await openFreshDocket(engine, {}, { clock })
    const { workspace: workspace_id, people } = await createTestWorkspace(storage)
    const actor = {
      ...createUserActor(people.owner, workspace_id),
      role: 'owner',
    } as const
    const { token } = await storage.write(actor, (tx) =>
      invite(tx, { email: 'ada@example.com', role: 'member' }),
    )
    const rows = () => storage.read(actor, (tx) => tx.all(invitations, {}))
    assert.equal((await rows()).length, 1)
    assert.ok(token.length === 43 && !JSON.stringify(await rows()).includes(token))

    clock.advance(37 * DAY - 60_000)
    await purgeExpiredInvitations(storage)()
    assert.equal((await rows()).length, 1)
    clock.advance(60_000)
    await purgeExpiredInvitations(storage)()
    assert.deepEqual(await rows(), [])
  })
}
