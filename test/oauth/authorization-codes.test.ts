import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { removeApplicationAndGrants } from '#resources/applications/operations.ts'
import { removeMember } from '#resources/members/membership.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import {
  createOAuthClient,
  createPkce,
  createTestApplication,
  parseTokenReply,
  type TokenReply,
} from '../support/oauth/oauth-client.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import {
  mockDate,
  startDocketOnMockedDate,
  startSecondServer,
  summarizeOAuthReply,
} from './send-requests.ts'

for (const engine of ENGINES) {
  const setUp = async (options: Parameters<typeof createTestApplication>[2] = {}) => {
    const docket = await startDocketOnMockedDate(engine)
    const team = await createTestWorkspace(docket.storage)
    const redirect_uris = ['https://app.example/cb', 'https://app.example/other']
    const app = await createTestApplication(docket, team, { redirect_uris, ...options })
    const oauthClient = createOAuthClient(docket, team, app)
    /** Uses tokens, introspects and refreshes them, and returns all outcomes. */
    const probeTokens = async ({ access_token, refresh_token }: TokenReply) => [
      (await oauthClient.me(access_token)).status,
      (await oauthClient.post('/oauth/introspect', { token: access_token })).body.active,
      (await oauthClient.post('/oauth/introspect', { token: refresh_token })).body.active,
      summarizeOAuthReply(await oauthClient.refresh(refresh_token)),
    ]
    return { docket, team, app, probeTokens, ...oauthClient }
  }
  const REVOKED = [401, false, false, '400 invalid_grant']

  test(`fifty concurrent redemptions of a code give one token pair, which is revoked (${engine})`, async () => {
    for (const type of ['public', 'confidential'] as const) {
      const { codeFor, exchange, probeTokens } = await setUp({ type })
      const { code, verifier } = await codeFor('member')
      const all = await Promise.all(Array.from({ length: 50 }, () => exchange(code, verifier)))
      const accepted = all.filter(({ status }) => status === 200)
      assert.equal(accepted.length, 1)
      const others = new Set(all.filter(({ status }) => status !== 200).map(summarizeOAuthReply))
      assert.deepEqual(others, new Set(['400 invalid_grant']))
      assert.deepEqual(await probeTokens(parseTokenReply(accepted[0] ?? assert.fail())), REVOKED)
    }
  })

  test(`reusing a code revokes its tokens, on any server and at any time (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const { docket, team, app, codeFor, exchange, refresh, probeTokens } = await setUp()
    const onSecondServer = createOAuthClient(await startSecondServer(docket), team, app)
    for (const wait of [0, 61, 3_000]) {
      const { code, verifier } = await codeFor('member')
      const first = parseTokenReply(await exchange(code, verifier))
      const other = await codeFor('member')
      const otherTokens = parseTokenReply(await exchange(other.code, other.verifier))
      const second = parseTokenReply(await refresh(first.refresh_token))
      passTime({ seconds: wait })
      assert.equal(
        summarizeOAuthReply(await onSecondServer.exchange(code, verifier)),
        '400 invalid_grant',
      )
      assert.deepEqual(await probeTokens(second), REVOKED)
      assert.deepEqual((await probeTokens(first))[0], 401)
      assert.equal((await probeTokens(otherTokens))[0], 200, 'another authorization goes on')
    }
  })

  test(`each mismatch refuses a code and does not consume it (${engine})`, async () => {
    const { docket, team, app, codeFor, exchange, post } = await setUp()
    const make = (type: 'public' | 'confidential') =>
      createTestApplication(docket, team, { type, redirect_uris: [app.redirect_uri] })
    const others = [await make('public'), await make('confidential')]
    const { code, verifier } = await codeFor('member')
    const injected = await codeFor('admin')
    const good = { grant_type: 'authorization_code', code, redirect_uri: app.redirect_uri }
    const grant = 'invalid_grant'
    const request = 'invalid_request'
    const rows: [Record<string, string>, string][] = [
      [{ ...good, code_verifier: createPkce().verifier }, grant],
      [good, grant],
      [{ ...good, code_verifier: '' }, grant],
      [{ ...good, code_verifier: verifier.slice(0, -1) }, request],
      [{ ...good, code_verifier: `${verifier}x` }, grant],
      [{ ...good, code_verifier: `${verifier}\0` }, request],
      [{ ...good, code_verifier: 'x'.repeat(8_192) }, request],
      [{ ...good, code_verifier: verifier, redirect_uri: 'https://app.example/other' }, grant],
      [{ ...good, code_verifier: verifier, redirect_uri: `${app.redirect_uri}/` }, grant],
      [{ grant_type: 'authorization_code', code, code_verifier: verifier }, request],
      [{ ...good, code_verifier: verifier, code: `${code}x` }, grant],
      [{ ...good, code_verifier: verifier, code: '' }, request],
      [{ ...good, code_verifier: verifier, code: '\0' }, grant],
      // Code injection: the verifier belongs to another session.
      [{ ...good, code_verifier: verifier, code: injected.code }, grant],
      [{ ...good, code_verifier: injected.verifier }, grant],
      [{ ...good, code_verifier: verifier, grant_type: 'refresh_token' }, request],
    ]
    for (const [form, error] of rows) {
      assert.equal(
        summarizeOAuthReply(await post('/oauth/token', form)),
        `400 ${error}`,
        JSON.stringify(form),
      )
    }
    for (const other of others) {
      const stolen = await createOAuthClient(docket, team, other).exchange(code, verifier)
      assert.equal(summarizeOAuthReply(stolen), '400 invalid_grant')
    }
    const accepted = await exchange(code, verifier)
    assert.equal(accepted.status, 200, accepted.text)
    // Other clients cannot use a redeemed code either, and their attempt does not revoke its
    // tokens.
    for (const other of others) {
      assert.equal(
        (await createOAuthClient(docket, team, other).exchange(code, verifier)).status,
        400,
      )
    }
    const { refresh_token } = parseTokenReply(accepted)
    assert.equal((await createOAuthClient(docket, team, app).refresh(refresh_token)).status, 200)
    assert.equal((await exchange(injected.code, injected.verifier)).status, 200)
  })

  test(`a code expires after a minute, and ends with its user and its application (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const { docket, team, app, codeFor, exchange } = await setUp()
    const within = { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: team.workspace } as const
    const [expired, inTime] = [await codeFor('member'), await codeFor('member')]
    passTime({ seconds: 55 })
    assert.equal((await exchange(inTime.code, inTime.verifier)).status, 200)
    passTime({ seconds: 6 })
    assert.equal(
      summarizeOAuthReply(await exchange(expired.code, expired.verifier)),
      '400 invalid_grant',
    )

    const [gone, stays] = [await codeFor('member'), await codeFor('guest')]
    await docket.storage.write(within, (tx) => removeMember(tx, team.people.member))
    assert.equal(summarizeOAuthReply(await exchange(gone.code, gone.verifier)), '400 invalid_grant')
    assert.equal((await exchange(stays.code, stays.verifier)).status, 200)

    const last = await codeFor('guest')
    await docket.storage.write(within, (tx) => removeApplicationAndGrants(tx, app.id))
    assert.equal(
      summarizeOAuthReply(await exchange(last.code, last.verifier)),
      '401 invalid_client',
    )
  })
}
