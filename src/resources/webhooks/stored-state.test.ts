import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { command, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import type { WebhookRow } from '#db/schema/tables.ts'
import { toJson } from '#lib/json.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { openTestClient } from '#test/support/world/test-client.ts'

const webhookRow = query((db) => db.selectFrom('webhooks').selectAll())
const RESULT = [
  'failure_count',
  'is_active',
  'disabled_reason',
  'previous_secret_expires_at',
] as const
const setResult = command((db, $: Scoped<Pick<WebhookRow, (typeof RESULT)[number]>>) =>
  db.updateTable('webhooks').set(pickSlots($, ...RESULT)),
)

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, team, send } = await openTestClient(engine)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const created = await send('POST /api/v1/webhooks', {
      url: 'https://example.com',
      events: ['*'],
    })
    return {
      send,
      path: `/api/v1/webhooks/${created.id}`,
      secret: String(created.secret),
      kept: () =>
        storage.write(actor, async (tx) => {
          const found = await tx.one(webhookRow, {})
          assert.ok(found)
          const { sealed_secret, sealed_previous_secret: previous } = found
          assert.ok(!JSON.stringify(found).includes(created.secret), 'in clear')
          const secrets = [tx.decrypt(sealed_secret), previous && tx.decrypt(previous)]
          return { ...found, secrets }
        }),
      happened: (result: Partial<WebhookRow>) =>
        storage.write(actor, (tx) =>
          tx.run(setResult, {
            failure_count: 0,
            is_active: 1,
            disabled_reason: null,
            previous_secret_expires_at: null,
            ...result,
          }),
        ),
      anEvent: () =>
        storage.write(actor, async (tx) => {
          tx.emit('member.added', toJson({}), { subject_id: 'some', project_id: null })
        }),
    }
  }

  test(`stores secrets encrypted, and the previous one during the overlap (${engine})`, async () => {
    const { send, path, secret, kept } = await setUp()
    assert.deepEqual((await kept()).secrets, [secret, null])
    const second = await send(`POST ${path}/rotate-secret`, {})
    assert.deepEqual((await kept()).secrets, [second.secret, secret])
    const third = await send(`POST ${path}/rotate-secret`, { overlap_seconds: 1 })
    assert.deepEqual((await kept()).secrets, [third.secret, second.secret], 'the oldest is dropped')
    await send(`PATCH ${path}`, { secret: third.secret })
    assert.deepEqual((await kept()).secrets, [third.secret, second.secret], 'no change')
    await send(`PATCH ${path}`, { secret: 'replaced at once' })
    assert.deepEqual((await kept()).secrets, ['replaced at once', null])
    await send(`POST ${path}/rotate-secret`, { overlap_seconds: 0, secret: 'with none' })
    assert.deepEqual((await kept()).secrets, ['with none', null])
  })

  test(`sends only events after the webhook was created or enabled (${engine})`, async () => {
    const { send, path, kept, anEvent } = await setUp()
    assert.equal((await kept()).enabled_after_sequence, 0)
    await anEvent()
    await anEvent()
    await send(`PATCH ${path}`, { is_active: true, description: 'on already' })
    assert.equal((await kept()).enabled_after_sequence, 0)
    await send(`PATCH ${path}`, { is_active: false })
    await anEvent()
    await send(`PATCH ${path}`, { is_active: true })
    assert.equal((await kept()).enabled_after_sequence, 3)
  })

  test(`shows the end of the overlap until it is over (${engine})`, async () => {
    const { send, path, happened } = await setUp()
    const soon = new Date(Date.now() + 60_000).toISOString()
    await happened({ previous_secret_expires_at: soon })
    assert.equal((await send(`GET ${path}`)).previous_secret_expires_at, soon)
    await happened({ previous_secret_expires_at: new Date(Date.now() - 1).toISOString() })
    assert.equal((await send(`GET ${path}`)).previous_secret_expires_at, null)
  })
}
