import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { clock } from '#lib/clock.ts'
import { invite } from '#resources/invitations/operations.ts'
import { query, type Scoped } from '#storage/statement.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { forgetInvitations } from './invitations.ts'

const DAY = 24 * 60 * 60 * 1000

const kept = query((db, $: Scoped) =>
  db.selectFrom('invitations').selectAll().where('workspace_id', '=', $.workspace_id),
)

for (const engine of ENGINES) {
  test(`an invitation is kept without its token, and forgotten a month after its end (${engine})`, async (t) => {
    const { storage } = await docketOn(engine)
    const { workspace: workspace_id, people } = await newHome(storage)
    const actor = { ...NOBODY, role: 'owner', workspace_id, user_id: people.owner } as const
    const { token } = await storage.write(actor, (tx) =>
      invite(tx, { email: 'ada@example.com', role: 'member' }),
    )
    const rows = () => storage.read(actor, (tx) => tx.all(kept, {}))
    assert.equal((await rows()).length, 1)
    assert.ok(token.length === 43 && !JSON.stringify(await rows()).includes(token))

    let now = clock.now() + 37 * DAY - 60_000
    t.mock.method(clock, 'now', () => now)
    await forgetInvitations(storage)()
    assert.equal((await rows()).length, 1)
    now += 60_000
    await forgetInvitations(storage)()
    assert.deepEqual(await rows(), [])
  })
}
