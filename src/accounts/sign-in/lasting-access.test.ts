import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import {
  ENGINES,
  openTestDocket,
  withoutRowLevelSecurity,
} from '#test/support/engines/test-docket.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { type Endpoint, endpoint } from '#wire/endpoint.ts'
import { routes, sessionActions } from '../../server/routes.ts'

const HOUR = 60 * 60_000
const AGAIN = '403 sign_in_again'
const NO_PASSWORD = '422 validation_failed'
const endpoints: readonly Endpoint[] = [...routes, ...sessionActions].map((one) => one.endpoint)
const lineOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>, id = '') =>
  `${method} ${path.replace(/:\w+/g, id)}`

/**
 * What is sent to the endpoints that check by themselves, in a session that is five hours old and by
 * somebody who does not know the password. A new one needs a line here.
 */
const CHECKED_BY_ACTION: Record<string, readonly [body: object, reply: string]> = {
  'PATCH /internal/account': [{ email: 'other@example.com' }, NO_PASSWORD],
  'POST /internal/session/confirmation': [{ current_password: 'guessed' }, NO_PASSWORD],
  'POST /internal/account/second-factor': [{}, NO_PASSWORD],
  'POST /internal/account/second-factor/enable': [{ code: '000000' }, NO_PASSWORD],
  'POST /internal/account/second-factor/recovery-codes': [{ code: '000000' }, NO_PASSWORD],
  'POST /internal/account/second-factor/disable': [{ code: '000000' }, NO_PASSWORD],
  'DELETE /internal/account/company': [{}, NO_PASSWORD],
  'POST /internal/account/passkeys/challenge': [{}, NO_PASSWORD],
}

/** Those that need more than a session and a body, with the tests that refuse them to such a session. */
const CHECKED_ELSEWHERE: Record<string, string> = {
  'POST /internal/account/email-confirmation': 'src/accounts/profile/confirm-email.test.ts',
  'POST /internal/account/passkeys': 'src/accounts/passkeys/passkeys.test.ts',
  'DELETE /internal/account/passkeys/:id': 'src/accounts/passkeys/passkeys.test.ts',
  'POST /internal/company-sign-in': 'src/accounts/sso/sso-sign-in.test.ts',
  'POST /internal/company-sign-in/finish': 'src/accounts/sso/sso-sign-in.test.ts',
  'POST /internal/approvals/:id/allow': 'src/accounts/approvals/allow-operation.test.ts',
  'POST /internal/oauth/interactions/:uid': 'src/accounts/sign-in/reauthentication.test.ts',
}

test('an endpoint that writes does not compile without saying whether it grants lasting access', () => {
  const write = { method: 'POST', path: '/internal/x', scope: 'session', limit: 'session' } as const
  const named = { ...write, tag: 'X', summary: 'X' } as const
  // @ts-expect-error `grantsLastingAccess` is missing.
  assert.equal(endpoint(named).path, write.path)
  // @ts-expect-error Without a credential there is no session that could have been confirmed.
  endpoint({ ...named, scope: 'open', limit: 'none', grantsLastingAccess: true })
  endpoint({ ...named, grantsLastingAccess: true })
})

for (const engine of ENGINES) {
  const clock = createTestClock()

  test(`a session of five hours makes nothing that outlives it (${engine})`, async () => {
    const env = withoutRowLevelSecurity(engine)
    const { storage, server } = await openTestDocket(engine, env, { clock })
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'owner')
    const client = createCookieClient(server)
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    clock.advance(5 * HOUR)
    const audited = () =>
      storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(countAudited, { in_workspace: team.workspace }))
    const before = await audited()

    const lasting = endpoints.filter(({ grantsLastingAccess }) => grantsLastingAccess === true)
    const lines = lasting.map((one) => lineOf(one, ':id'))
    for (const line of [
      'POST /internal/api-keys',
      'POST /internal/invitations',
      'POST /internal/exports',
      'GET /internal/exports/:id/content',
      'POST /internal/apps',
      'PATCH /internal/members/:id',
      'POST /api/v1/webhooks',
      'PATCH /api/v1/webhooks/:id',
    ])
      assert.ok(lines.includes(line), line)
    for (const one of lasting)
      assert.equal(describeReply(await client.send(lineOf(one, 'x'), {})), AGAIN, lineOf(one))

    const checked = endpoints.filter((one) => one.grantsLastingAccess === 'checked_by_action')
    assert.deepEqual(
      checked.map((one) => `${one.method} ${one.path}`).toSorted(),
      [...Object.keys(CHECKED_BY_ACTION), ...Object.keys(CHECKED_ELSEWHERE)].toSorted(),
    )
    for (const [line, [body, reply]] of Object.entries(CHECKED_BY_ACTION))
      assert.equal(describeReply(await client.send(line, body)), reply, line)
    for (const file of Object.values(CHECKED_ELSEWHERE)) assert.ok(existsSync(file), file)
    assert.deepEqual(await audited(), before)
    assert.deepEqual(await readEvents(storage, team.workspace), [])

    // A key is a credential of its own; and once confirmed, the session is asked no more.
    const webhook = { url: 'https://hooks.example.com/in', events: ['task.created'] }
    const headers = { authorization: `Bearer ${team.keys.owner}` }
    const byKey = await createCookieClient(server).send('POST /api/v1/webhooks', webhook, {
      headers,
    })
    assert.equal(describeReply(byKey), '201')
    const confirm = { current_password: TEST_PASSWORD }
    assert.equal(
      describeReply(await client.send('POST /internal/session/confirmation', confirm)),
      '204',
    )
    for (const one of lasting)
      assert.notEqual(describeReply(await client.send(lineOf(one, 'x'), {})), AGAIN, lineOf(one))
    assert.equal(describeReply(await client.send('POST /api/v1/webhooks', webhook)), '201')
  })
}

const countAudited = unscopedQuery((db, $: { in_workspace: string }) =>
  db
    .selectFrom('audit_entries')
    .select((is) => is.fn.countAll().as('count'))
    .where('workspace_id', '=', $.in_workspace),
)
