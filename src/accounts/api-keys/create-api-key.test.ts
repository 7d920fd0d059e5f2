import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { removeMember } from '#resources/members/membership.ts'
import {
  ENGINES,
  openTestDocket,
  withoutRowLevelSecurity,
} from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const clock = createTestClock()
const MINUTE = 60_000
const KEY = { name: 'Nightly', preset: 'read_only' }
const AGAIN = '403 sign_in_again'
const CREATE = 'POST /internal/api-keys'

for (const engine of ENGINES) {
  test(`an older session needs the password to create an API key (${engine})`, async () => {
    const env = withoutRowLevelSecurity(engine)
    const { storage, server } = await openTestDocket(engine, env, { clock })
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const client = createCookieClient(server)
    const create = async () => describeReply(await client.send(CREATE, KEY))
    const confirm = async () =>
      describeReply(
        await client.send('POST /internal/session/confirmation', {
          current_password: TEST_PASSWORD,
        }),
      )
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    assert.equal(await create(), '201')
    clock.advance(16 * MINUTE)
    assert.equal(await create(), AGAIN)
    assert.deepEqual([await confirm(), await create()], ['204', '201'])
    clock.advance(16 * MINUTE)
    assert.equal(await create(), AGAIN)

    // A session that continues another by an invitation is not more recent.
    const otherHome = await createTestWorkspace(storage)
    const boss = createCookieClient(server)
    const bossEmail = await setTestPassword(storage, otherHome, 'owner')
    await boss.send('POST /internal/session', { email: bossEmail, password: TEST_PASSWORD })
    const invited = await boss.send('POST /internal/invitations', { email, role: 'member' })
    const token = String(invited.body.accept_url).split('/').at(-1)
    const accepted = await client.send('POST /internal/invitations/accept', { token })
    assert.equal(describeReply(accepted), '201')
    assert.equal(await create(), AGAIN)

    // A change of the password requires the password, so it counts as a recent sign-in.
    const change = { password: 'plum cake at night', current_password: TEST_PASSWORD }
    assert.equal(describeReply(await client.send('PATCH /internal/account', change)), '200')
    assert.equal(await create(), '201')
  })

  test(`no API key is created for somebody who is no longer a member (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace, people } = await createTestWorkspace(storage)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
    const { workspace: other } = await createTestWorkspace(storage)
    const create = (workspace_id: string) =>
      storage.write({ ...actor, workspace_id }, (tx) =>
        createApiKey(tx, { user_id: people.member, name: 'K', scopes: [], expires_at: null }),
      )
    await create(workspace)
    await storage.write(actor, (tx) => removeMember(tx, people.member))
    for (const workspace_id of [workspace, other])
      await assert.rejects(create(workspace_id), { status: 401 })
  })
}
