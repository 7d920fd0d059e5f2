import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listPasskeys } from '#auth/passkeys/passkeys.ts'
import { countUserAccess, revokeUserAccess } from '#auth/users/user-access.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import {
  ENGINES,
  openTestDocket,
  testLog,
  withoutRowLevelSecurity,
} from '#test/support/engines/test-docket.ts'
import {
  createOAuthClient,
  createPkce,
  createTestApplication,
} from '#test/support/oauth/oauth-client.ts'
import { afterFile } from '#test/support/runner/cleanup.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { createSoftwareAuthenticator } from '#test/support/world/software-authenticator.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { createTotpApp } from '#test/support/world/totp-app.ts'
import { createApp } from '../../server/app.ts'

const ENDED = '401 authentication_required'
const CONFIRMED = { current_password: TEST_PASSWORD }
const SETTINGS = { DOCKET_BASE_URL: 'http://localhost:4000', DOCKET_PORT: '4000' }

for (const engine of ENGINES) {
  const clock = createTestClock()

  /** A workspace behind a server whose next write by a person can be held up. */
  const open = async () => {
    const env = { ...withoutRowLevelSecurity(engine), ...SETTINGS }
    const docket = await openTestDocket(engine, env, { clock })
    let meanwhile: { user_id: string; run: () => Promise<unknown> } | undefined
    const storage: Storage = {
      ...docket.storage,
      async write(actor, work, at) {
        if (meanwhile && actor.user_id === meanwhile.user_id) {
          const { run } = meanwhile
          meanwhile = undefined
          await run()
        }
        return docket.storage.write(actor, work, at)
      },
    }
    const { server } = await createApp(storage, docket.config, TEST_SECRET, testLog, undefined, {
      sheds: false,
      now: clock.now,
    })
    afterFile(() => server.close())
    const team = await createTestWorkspace(docket.storage)
    /** Sends a request, and does something else after its checks and before it writes. */
    const interrupt = async <T>(
      user_id: string,
      request: () => Promise<T>,
      run: () => Promise<unknown>,
    ) => {
      meanwhile = { user_id, run }
      const reply = await request()
      assert.equal(meanwhile, undefined, 'the request wrote')
      return reply
    }
    const signIn = async (role: 'owner' | 'admin' | 'member') => {
      const email = await setTestPassword(docket.storage, team, role)
      const client = createCookieClient(server, docket.config.baseUrl)
      const entered = await client.send('POST /internal/session', {
        email,
        password: TEST_PASSWORD,
      })
      assert.equal(describeReply(entered), '201')
      return client
    }
    return { docket: { ...docket, server }, storage: docket.storage, team, interrupt, signIn }
  }

  test(`what a session has confirmed is not granted once all access is revoked (${engine})`, async () => {
    const { docket, storage, team, interrupt, signIn } = await open()
    const id = team.people.member
    const oauth = createOAuthClient(docket, team, await createTestApplication(docket, team))
    const revokeAll = async () => {
      await setTestPassword(storage, team, 'member')
      await storage.write(ANONYMOUS_ACTOR, (tx) =>
        revokeUserAccess(tx, id, { hasShownSecondFactor: true }),
      )
    }

    let client = await signIn('member')
    const key = { name: 'A key', preset: 'full' }
    const createKey = () => client.send('POST /internal/api-keys', key)
    assert.equal(describeReply(await interrupt(id, createKey, revokeAll)), ENDED)

    const session = await createTestSession(storage, team, 'member', docket.config.baseUrl)
    const request = await oauth.ask({ code_challenge: createPkce().challenge }, session)
    const allow = () => oauth.decide(request.uid, session, request.cookies)
    assert.equal((await interrupt(id, allow, revokeAll)).status, 401)

    client = await signIn('member')
    const begun = await client.send('POST /internal/account/passkeys/challenge', CONFIRMED)
    const passkey = createSoftwareAuthenticator().make({ challenge: String(begun.body.challenge) })
    const addPasskey = () =>
      client.send('POST /internal/account/passkeys', { name: 'Laptop', ...passkey })
    assert.equal(describeReply(await interrupt(id, addPasskey, revokeAll)), ENDED)

    client = await signIn('member')
    const prepared = await client.send('POST /internal/account/second-factor', CONFIRMED)
    const code = createTotpApp(String(prepared.body.secret), clock).next()
    const enable = () => client.send('POST /internal/account/second-factor/enable', { code })
    assert.equal(describeReply(await interrupt(id, enable, revokeAll)), ENDED)

    const [access, passkeys] = await storage.read(ANONYMOUS_ACTOR, async (tx) => [
      await countUserAccess(tx, id),
      await listPasskeys(tx, id),
    ])
    assert.deepEqual([access, passkeys], [{ api_keys: 0, grants: 0 }, []])
  })

  test(`an owner who is demoted or removed meanwhile invites no owner and deletes no workspace (${engine})`, async () => {
    const { team, interrupt, signIn } = await open()
    const owner = await signIn('owner')
    const admin = await signIn('admin')
    const second = `/internal/members/${team.people.admin}`
    const promote = { role: 'owner' }
    assert.equal(describeReply(await owner.send(`PATCH ${second}`, promote)), '200')
    const remove = () => admin.send('DELETE /internal/workspace', { name: 'Test', ...CONFIRMED })
    const invitation = { email: 'owner@example.com', role: 'owner' }
    const invite = () => admin.send('POST /internal/invitations', invitation)
    const demote = () => owner.send(`PATCH ${second}`, { role: 'admin' })
    for (const attempt of [remove, invite]) {
      const demoted = await interrupt(team.people.admin, attempt, demote)
      assert.equal(describeReply(demoted), '403 insufficient_role')
      await owner.send(`PATCH ${second}`, promote)
    }
    const removed = await interrupt(team.people.admin, remove, () => owner.send(`DELETE ${second}`))
    assert.equal(describeReply(removed), ENDED)
    assert.equal(describeReply(await owner.send('GET /internal/workspace')), '200')
  })
}
