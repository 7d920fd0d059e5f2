import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { createMembership } from '#resources/members/membership.ts'
import {
  ENGINES,
  openTestDocket,
  withoutRowLevelSecurity,
} from '#test/support/engines/test-docket.ts'
import { createTestApplication } from '#test/support/oauth/oauth-client.ts'
import { insertTestGrant } from '#test/support/oauth/test-grant.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const LIST = 'GET /internal/account/access'

for (const engine of ENGINES) {
  test(`what outlives a new password is listed and can be ended, in all workspaces (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine, withoutRowLevelSecurity(engine))
    const team = await createTestWorkspace(storage)
    const { workspace: elsewhere } = await createTestWorkspace(storage)
    const user_id = team.people.owner
    const there = { ...ANONYMOUS_ACTOR, role: 'owner' as const, workspace_id: elsewhere }
    await storage.write(there, (tx) => createMembership(tx, { user_id, name: 'O', role: 'admin' }))
    const email = await setTestPassword(storage, team, 'owner')
    const client = createCookieClient(server)
    const signIn = (workspace_id: string, password = TEST_PASSWORD) =>
      client.send('POST /internal/session', { email, password, workspace_id })
    const send = async (line: string, body?: object) => {
      const reply = await client.send(line, body)
      assert.ok(reply.status < 300, `${line}: ${describeReply(reply)}`)
      return reply.body
    }
    const webhook = { url: 'https://hooks.example.com/in', events: ['task.created'] }
    const invitation = { email: `guest.${email}`, role: 'admin' }
    for (const workspace of [elsewhere, team.workspace]) {
      await signIn(workspace)
      await send('POST /api/v1/webhooks', webhook)
      await send('POST /internal/invitations', invitation)
    }
    const { id: application_id } = await createTestApplication({ storage }, team)
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      insertTestGrant(tx, { in_workspace: team.workspace, user_id, application_id }),
    )
    const records = async () =>
      (await send(LIST)).data as { id: string; kind: string; name: string; workspace: object }[]
    const kinds = async () => (await records()).map(({ kind }) => kind).toSorted()
    const all = ['api_key', 'application', 'invitation', 'invitation', 'webhook', 'webhook']
    assert.deepEqual(await kinds(), all)

    // A new password ends none of them; if the person says so, all but the webhooks of workspaces.
    const password = 'plum cake at night'
    await send('PATCH /internal/account', { password, current_password: TEST_PASSWORD })
    assert.deepEqual(await kinds(), all)
    const hooks = (await records()).filter(({ kind }) => kind === 'webhook')
    assert.deepEqual(
      hooks.map(({ name }) => name),
      [webhook.url, webhook.url],
    )
    const change = { password: TEST_PASSWORD, current_password: password, revoke_access: true }
    await send('PATCH /internal/account', change)
    assert.deepEqual(await kinds(), ['webhook', 'webhook'])

    // Nobody else ends them, and nobody who no longer manages the workspace.
    const end = (id: string) => `DELETE /internal/account/access/${id}`
    const other = createCookieClient(server)
    const adminEmail = await setTestPassword(storage, team, 'admin')
    await other.send('POST /internal/session', { email: adminEmail, password: TEST_PASSWORD })
    for (const { id } of hooks)
      assert.equal(describeReply(await other.send(end(id))), '404 not_found')
    for (const { id } of hooks) await send(end(id))
    assert.deepEqual(await records(), [])
    for (const workspace of [elsewhere, team.workspace]) {
      await signIn(workspace)
      assert.deepEqual((await send('GET /api/v1/webhooks')).data, [])
    }
    assert.equal(describeReply(await client.send(end(hooks[0]?.id ?? ''))), '404 not_found')
  })
}
