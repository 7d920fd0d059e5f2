import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
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
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const MINUTE = 60_000
const WRONG = '422 validation_failed'
const AGAIN = '403 sign_in_again'
const CONFIRM = 'POST /internal/session/confirmation'
const CONFIRMED = { current_password: TEST_PASSWORD }

for (const engine of ENGINES) {
  // Authorization requests expire by the real time, so this must not run far ahead.
  const clock = createTestClock()
  const open = async () => {
    const docket = await openTestDocket(engine, withoutRowLevelSecurity(engine), { clock })
    return { ...docket, docket, team: await createTestWorkspace(docket.storage) }
  }

  test(`an older session is confirmed to authorize an application (${engine})`, async () => {
    const { docket, server, storage, team } = await open()
    const client = createOAuthClient(docket, team, await createTestApplication(docket, team))
    const { browser, session } = await signIn(
      server,
      await setTestPassword(storage, team, 'member'),
    )
    const decide = async (body: object = {}) => {
      const asked = await client.ask({ code_challenge: createPkce().challenge }, session)
      const allow = { decision: 'allow', workspace_id: team.workspace, ...body }
      const reply = await client.decide(asked.uid, session, asked.cookies, allow)
      return describeReply({ ...reply, headers: {} })
    }
    const grants = async () =>
      (await storage.read(ANONYMOUS_ACTOR, (tx) => countUserAccess(tx, team.people.member))).grants
    // After a recent sign-in the consent page asks for nothing more.
    assert.equal(await decide(), '200')
    clock.advance(16 * MINUTE)
    assert.equal(await decide(), AGAIN)
    assert.equal(await grants(), 1)
    assert.equal(await decide({ decision: 'deny' }), '200')
    assert.equal(describeReply(await browser.send(CONFIRM, CONFIRMED)), '204')
    assert.equal(await decide(), '200')
    assert.equal(await grants(), 2)
  })

  test(`the password confirms a session for 15 minutes (${engine})`, async () => {
    const { server, storage, team } = await open()
    const email = await setTestPassword(storage, team, 'owner')
    const { browser } = await signIn(server, email)
    const { browser: other } = await signIn(server, email)
    const invite = async (who = browser) =>
      describeReply(
        await who.send('POST /internal/invitations', { email: `n.${email}`, role: 'admin' }),
      )
    const confirm = async (current_password: string) =>
      describeReply(await browser.send(CONFIRM, { current_password }))
    assert.equal(await invite(), '201')
    clock.advance(16 * MINUTE)
    assert.equal(await invite(), AGAIN)
    assert.equal(await confirm('not the password'), WRONG)
    assert.equal(await invite(), AGAIN)
    assert.equal(await confirm(TEST_PASSWORD), '204')
    assert.deepEqual([await invite(), await invite(other)], ['201', AGAIN], 'this session alone')
    clock.advance(16 * MINUTE)
    assert.equal(await invite(), AGAIN)

    // Nor does the password suffice if the session has not shown the passkey of its user.
    const key = { user_id: team.people.owner, credential: email, public_key: 'p', counter: 0 }
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      addPasskey(tx, { ...key, transports: '[]', name: 'Laptop' }),
    )
    assert.equal(await confirm(TEST_PASSWORD), AGAIN)
    assert.equal(await invite(), AGAIN)
    for (const line of ['DELETE /internal/workspace', 'DELETE /internal/account']) {
      const reply = await browser.send(line, {
        ...CONFIRMED,
        ...(line.endsWith('workspace') && { name: 'Test' }),
      })
      assert.equal(describeReply(reply), AGAIN, line)
    }
    assert.equal(await invite((await signIn(server, email)).browser), AGAIN)

    // Somebody without a password signs in again.
    const guest = await signIn(server, await setTestPassword(storage, team, 'guest'))
    await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(removePassword, { id: team.people.guest }))
    assert.equal(describeReply(await guest.browser.send(CONFIRM, CONFIRMED)), '204')
    clock.advance(16 * MINUTE)
    assert.equal(describeReply(await guest.browser.send(CONFIRM, CONFIRMED)), AGAIN)
  })

  test(`without a password, a recent sign-in confirms a deletion (${engine})`, async () => {
    const { server, storage, team, config } = await open()
    const remove = async (role: 'owner' | 'member', path: string, payload: object) => {
      await storage.write(ANONYMOUS_ACTOR, (tx) =>
        tx.run(removePassword, { id: team.people[role] }),
      )
      const send = async ({ headers }: { headers: Record<string, string> }) => {
        const json = { ...headers, 'content-type': 'application/json' }
        return (await server.inject({ method: 'DELETE', url: path, headers: json, payload }))
          .statusCode
      }
      const older = await createTestSession(storage, team, role, config.baseUrl)
      clock.advance(16 * MINUTE)
      const newer = await createTestSession(storage, team, role, config.baseUrl)
      return [await send(older), await send(newer)]
    }
    assert.deepEqual(await remove('member', '/internal/account', {}), [403, 204])
    assert.deepEqual(await remove('owner', '/internal/workspace', { name: 'Test' }), [403, 200])
  })
}

/** A browser with a session, and the headers of its requests. */
async function signIn(server: FastifyInstance, email: string) {
  const browser = createCookieClient(server)
  await browser.send('POST /internal/session', { email, password: TEST_PASSWORD })
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const value = browser.jar.get('docket_session') ?? ''
  const headers = { cookie, origin: 'http://127.0.0.1:4000' }
  return { browser, session: { id: '', value, headers } }
}

const removePassword = unscopedCommand((db, $: { id: string }) =>
  db.updateTable('users').set({ password_hash: null }).where('id', '=', $.id),
)
