import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addPasskey, removePasskey } from '#auth/passkeys/passkeys.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { addMember } from '#resources/members/membership.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import {
  createOAuthClient,
  createPkce,
  createTestApplication,
} from '#test/support/oauth/oauth-client.ts'
import {
  assertAuditEntries,
  readLastAuditSequences,
} from '#test/support/scenario/expected-audit-entries.ts'
import { openLiveStream } from '#test/support/server/live-stream.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import {
  BOOT,
  FACTOR_MISSING,
  openPolicyWorkspace,
  openWorkspaceWithPolicy,
  POLICY,
  POLICY_SITE,
} from '#test/support/world/second-factor-policy.ts'
import { TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { enrollSecondFactor } from '#test/support/world/totp-app.ts'
import { routes, sessionActions } from '../../server/routes.ts'

const clock = createTestClock()

/**
 * The endpoints for sessions without a required second factor: set one up, switch workspace, sign
 * out.
 */
const ALLOWED_WITHOUT_SECOND_FACTOR = [
  'GET /internal/workspace/second-factor',
  'GET /internal/account/sign-in',
  'POST /internal/account/second-factor',
  'POST /internal/account/second-factor/enable',
  'POST /internal/account/passkeys/challenge',
  'POST /internal/account/passkeys',
  'PATCH /internal/session',
  'DELETE /internal/session',
  'DELETE /internal/account',
]

for (const engine of ENGINES) {
  const setUp = () => openPolicyWorkspace(engine, clock)
  const setUpWithPolicy = () => openWorkspaceWithPolicy(engine, clock)

  test(`only an owner with a second factor can require one of all members (${engine})`, async () => {
    const { storage, team, owner, setPolicy, enter } = await setUp()
    const rule = async () => (await owner.send(`GET ${POLICY}`)).body
    assert.deepEqual(await rule(), { second_factor: 'optional', without: 4 })
    assert.equal(describeReply(await setPolicy('required')), '409 second_factor_missing')
    await enrollSecondFactor(owner, clock)
    const { one: admin } = await enter('admin')
    assert.equal(describeReply(await setPolicy('required', admin)), '403 insufficient_role')
    const since = await readLastAuditSequences(storage, team.workspace)
    const changed = await setPolicy('required')
    assert.deepEqual(changed.body, { second_factor: 'required', without: 3 })
    assert.match(changed.headers['x-operation-id'] ?? '', /^opr_/)
    assert.equal((await setPolicy('required')).headers['x-operation-id'], undefined)
    const details = {
      changed: ['second_factor'],
      second_factor: { from: 'optional', to: 'required' },
    }
    const entry = { action: 'workspace.updated', actor_id: team.people.owner, details } as const
    await assertAuditEntries(storage, since, new Set(), { wanted: [entry], where: 'the demand' })
    assert.equal(describeReply(await owner.send(BOOT)), '200')
    assert.equal(describeReply(await admin.send(BOOT)), FACTOR_MISSING)
    assert.equal(describeReply(await setPolicy('optional')), '200')
    assert.equal(describeReply(await admin.send(BOOT)), '200')
  })

  test(`sessions with one factor can only use the endpoints to set up a second (${engine})`, async () => {
    const { server, enter } = await setUpWithPolicy()
    const { one, entered } = await enter('admin')
    assert.equal(describeReply(entered), '201')
    const answered: string[] = []
    for (const { endpoint } of [...routes, ...sessionActions]) {
      if (endpoint.scope === 'open') continue
      const url = endpoint.path.replaceAll(/:\w+/g, 'x')
      const body = endpoint.method === 'GET' ? undefined : {}
      // Each request uses its own browser, because one of them signs out and one erases the
      // account.
      const asking = createCookieClient(server, POLICY_SITE)
      for (const [name, value] of one.jar) asking.jar.set(name, value)
      const end = describeReply(await asking.send(`${endpoint.method} ${url}`, body))
      if (end !== FACTOR_MISSING) answered.push(`${endpoint.method} ${endpoint.path}`)
      if (endpoint.path === '/internal/session' && endpoint.method === 'DELETE')
        await enter('admin', one)
    }
    assert.deepEqual(answered.toSorted(), ALLOWED_WITHOUT_SECOND_FACTOR.toSorted())
  })

  test(`open sessions need the second factor from the next request on (${engine})`, async () => {
    const { owner, enter, setPolicy, server, team } = await setUp()
    const { one } = await enter('member')
    const { one: other } = await enter('member')
    assert.equal(describeReply(await one.send(BOOT)), '200')
    await enrollSecondFactor(owner, clock)
    assert.equal(describeReply(await setPolicy('required')), '200')
    assert.equal(describeReply(await one.send(BOOT)), FACTOR_MISSING)
    assert.equal(describeReply(await one.send('GET /api/v1/tasks')), FACTOR_MISSING)
    const state = await one.send('GET /internal/workspace/second-factor')
    assert.deepEqual(state.body, { name: 'Test', is_missing: true, workspaces: [] })
    // API keys are not affected.
    const authorization = `Bearer ${team.keys.member}`
    const byKey = await server.inject({ url: '/api/v1/tasks', headers: { authorization } })
    assert.equal(byKey.statusCode, 200)

    const { codes } = await enrollSecondFactor(one, clock)
    assert.equal(describeReply(await one.send(BOOT)), '200')
    // Only this session has shown it; other sessions still need it.
    assert.equal(describeReply(await other.send(BOOT)), FACTOR_MISSING)
    const code = { code: codes.next(), current_password: TEST_PASSWORD }
    assert.equal(
      describeReply(await one.send('POST /internal/account/second-factor/disable', code)),
      '200',
    )
    assert.equal(describeReply(await one.send(BOOT)), FACTOR_MISSING)
  })

  test(`a session with one factor cannot authorize an application for the workspace (${engine})`, async () => {
    const docket = await setUpWithPolicy()
    const { team, storage, config } = docket
    const app = await createTestApplication(docket, team, { distribution: 'public' })
    const { ask, decide } = createOAuthClient(docket, team, app)
    const elsewhere = await createTestWorkspace(storage)
    const people = { ...elsewhere.people, member: team.people.member }
    const there = { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: elsewhere.workspace } as const
    await storage.write(there, (tx) =>
      addMember(tx, { user_id: people.member, name: 'M', role: 'member' }),
    )
    const answer = async (...allow: object[]) => {
      const there = { ...elsewhere, people }
      const member = await createTestSession(storage, there, 'member', config.baseUrl)
      const asked = await ask({ code_challenge: createPkce().challenge }, member)
      const decision = await decide(asked.uid, member, asked.cookies, ...allow)
      return describeReply({ ...decision, headers: {} })
    }
    assert.equal(await answer(), FACTOR_MISSING)
    const allow = { decision: 'allow', workspace_id: elsewhere.workspace }
    // Nor does a session suffice that has not shown the passkey of its user, in any workspace.
    const key = { user_id: people.member, credential: 'c', public_key: 'p', counter: 0 }
    const passkey = { ...key, transports: '[]', name: 'Laptop' }
    const added = await storage.write(ANONYMOUS_ACTOR, (tx) => addPasskey(tx, passkey))
    assert.equal(await answer(allow), '403 sign_in_again')
    await storage.write(ANONYMOUS_ACTOR, (tx) => removePasskey(tx, people.member, added?.id ?? ''))
    assert.equal(await answer(allow), '200')
  })

  test(`the live stream ends when the workspace starts to require a second factor (${engine})`, async () => {
    const { server, enter, owner, setPolicy } = await setUp()
    const { one } = await enter('member')
    await server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = server.server.address() as { port: number }
    const cookie = `docket_session=${one.jar.get('docket_session')}`
    const live = await openLiveStream(port, { cookie, host: 'localhost:4000' })
    await enrollSecondFactor(owner, clock)
    assert.equal(describeReply(await setPolicy('required')), '200')
    assert.ok(await live.endsWithin())
    live.close()
  })
}
