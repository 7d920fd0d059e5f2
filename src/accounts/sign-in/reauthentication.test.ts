import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addPasskey } from '#auth/passkeys/passkeys.ts'
import { countUserAccess } from '#auth/users/user-access.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand } from '#db/core/statement.ts'
import {
  ENGINES,
  openTestDocket,
  withoutRowLevelSecurity,
} from '#test/support/engines/test-docket.ts'
import {
  createOAuthClient,
  createPkce,
  createTestApplication,
} from '#test/support/oauth/oauth-client.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const MINUTE = 60_000
const WRONG = '422 validation_failed'
const AGAIN = '403 sign_in_again'
const CONFIRMED = { current_password: TEST_PASSWORD }

for (const engine of ENGINES) {
  // Authorization requests expire by the real time, so this must not run far ahead.
  const clock = createTestClock()
  const open = async () => {
    const docket = await openTestDocket(engine, withoutRowLevelSecurity(engine), { clock })
    return { ...docket, docket, home: await createTestWorkspace(docket.storage) }
  }

  test(`an older session needs the password to authorize an application (${engine})`, async () => {
    const { docket, storage, home, config } = await open()
    const client = createOAuthClient(docket, home, await createTestApplication(docket, home))
    await setTestPassword(storage, home, 'member')
    const [member, guest] = [
      await createTestSession(storage, home, 'member', config.baseUrl),
      await createTestSession(storage, home, 'guest', config.baseUrl),
    ]
    const decide = async (who: typeof member, body: object = {}) => {
      const asked = await client.ask({ code_challenge: createPkce().challenge }, who)
      const allow = { decision: 'allow', workspace_id: home.workspace, ...body }
      return client.decide(asked.uid, who, asked.cookies, allow)
    }
    const outcome = async (...sent: Parameters<typeof decide>) =>
      describeReply({ ...(await decide(...sent)), headers: {} })
    const grants = async (user_id: string) =>
      (await storage.read(ANONYMOUS_ACTOR, (tx) => countUserAccess(tx, user_id))).grants
    // After a recent sign-in the consent page asks for nothing more.
    assert.equal(await outcome(member), '200')
    clock.advance(16 * MINUTE)
    const { body } = await decide(member)
    assert.partialDeepStrictEqual(body, {
      error: { details: [{ field: 'current_password', code: 'required' }] },
    })
    assert.equal(await outcome(member, { current_password: 'not the password' }), WRONG)
    assert.equal(await grants(home.people.member), 1)
    assert.equal(await outcome(member, { decision: 'deny' }), '200')
    assert.equal(await outcome(member, CONFIRMED), '200')
    assert.equal(await grants(home.people.member), 2)
    // The guest has no password that could confirm it.
    await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(removePassword, { id: home.people.guest }))
    assert.equal(await outcome(guest), AGAIN)
    assert.equal(await grants(home.people.guest), 0)
  })

  test(`an older session needs the password to make somebody an owner (${engine})`, async () => {
    const { server, storage, home } = await open()
    const email = await setTestPassword(storage, home, 'owner')
    const owner = createCookieClient(server)
    await owner.send('POST /internal/session', { email, password: TEST_PASSWORD })
    let invited = 0
    const invite = async (role: string, more: object = {}) => {
      invited += 1
      const body = { email: `new.${invited}.${email}`, role, ...more }
      return describeReply(await owner.send('POST /internal/invitations', body))
    }
    const setRole = async (role: string, more: object = {}) =>
      describeReply(
        await owner.send(`PATCH /internal/members/${home.people.admin}`, { role, ...more }),
      )
    assert.deepEqual([await invite('owner'), await setRole('owner')], ['201', '200'])
    clock.advance(16 * MINUTE)
    assert.deepEqual([await setRole('owner'), await setRole('admin')], ['200', '200'])
    assert.deepEqual([await invite('owner'), await setRole('owner')], [WRONG, WRONG])
    const wrong = { current_password: 'not the password' }
    assert.deepEqual([await invite('owner', wrong), await setRole('owner', wrong)], [WRONG, WRONG])
    assert.deepEqual([await invite('admin'), await setRole('member')], ['201', '200'])
    const { body } = await owner.send('GET /internal/invitations')
    assert.equal((body.data as unknown[]).length, 2)
    assert.equal(await invite('owner', CONFIRMED), '201')
    assert.equal(await setRole('owner', CONFIRMED), '200')
    // Nor does the password suffice if the session has not shown the passkey of its user.
    const key = { user_id: home.people.owner, credential: email, public_key: 'p', counter: 0 }
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      addPasskey(tx, { ...key, transports: '[]', name: 'Laptop' }),
    )
    assert.equal(await invite('owner', CONFIRMED), AGAIN)
    assert.equal(await setRole('guest'), '200')
    assert.equal(await setRole('owner', CONFIRMED), AGAIN)
    const roles = (await readEvents(storage, home.workspace)).map(
      ({ payload }) => JSON.parse(payload).changes.role.to,
    )
    assert.deepEqual(roles, ['owner', 'admin', 'member', 'owner', 'guest'])
  })

  test(`without a password, a recent sign-in confirms a deletion (${engine})`, async () => {
    const { server, storage, home, config } = await open()
    const remove = async (role: 'owner' | 'member', path: string, payload: object) => {
      await storage.write(ANONYMOUS_ACTOR, (tx) =>
        tx.run(removePassword, { id: home.people[role] }),
      )
      const send = async ({ headers }: { headers: Record<string, string> }) => {
        const json = { ...headers, 'content-type': 'application/json' }
        return (await server.inject({ method: 'DELETE', url: path, headers: json, payload }))
          .statusCode
      }
      const older = await createTestSession(storage, home, role, config.baseUrl)
      clock.advance(16 * MINUTE)
      const newer = await createTestSession(storage, home, role, config.baseUrl)
      return [await send(older), await send(newer)]
    }
    assert.deepEqual(await remove('member', '/internal/account', {}), [403, 204])
    assert.deepEqual(await remove('owner', '/internal/workspace', { name: 'Test' }), [403, 200])
  })
}

const removePassword = unscopedCommand((db, $: { id: string }) =>
  db.updateTable('users').set({ password_hash: null }).where('id', '=', $.id),
)
