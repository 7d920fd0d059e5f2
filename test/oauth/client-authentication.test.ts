import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rotateClientSecret } from '#auth/oauth/applications.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import {
  basicAuthorization,
  createOAuthClient,
  createTestApplication,
} from '../support/oauth/oauth-client.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { newClientAddress } from '../support/world/cookie-client.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'
import { clientAuthenticationCases, type OAuthTestClients } from './client-authentication.ts'
import { type FormFields, postForm, summarizeOAuthReply } from './send-requests.ts'

/** Each endpoint, and its reply to an authenticated client. */
const ENDPOINTS: readonly (readonly [path: string, form: FormFields, authenticated: string])[] = [
  [
    '/oauth/token',
    [
      ['grant_type', 'authorization_code'],
      ['code', 'x'],
      ['redirect_uri', 'https://app.example/cb'],
      ['code_verifier', 'x'.repeat(43)],
    ],
    '400 invalid_grant',
  ],
  [
    '/oauth/token',
    [
      ['grant_type', 'refresh_token'],
      ['refresh_token', 'x'],
    ],
    '400 invalid_grant',
  ],
  ['/oauth/revoke', [['token', 'x']], '200'],
  ['/oauth/introspect', [['token', 'x']], '200'],
]

async function createClients(docket: TestDocket, team: TestWorkspace): Promise<OAuthTestClients> {
  const confidential = await createTestApplication(docket, team, { type: 'confidential' })
  const rotated = confidential.secret ?? ''
  const within = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace, role: 'owner' } as const
  const type = 'confidential'
  const secret = await docket.storage.write(within, (tx) =>
    rotateClientSecret(tx, { id: confidential.id, type }, tx.now),
  )
  return {
    confidential: { ...confidential, secret },
    otherConfidential: await createTestApplication(docket, team, { type }),
    publicClient: await createTestApplication(docket, team),
    rotatedSecret: rotated,
  }
}

test('accepts exactly one method of client authentication on every endpoint', async () => {
  const docket = await openTestDocket('sqlite')
  const clients = await createClients(docket, await createTestWorkspace(docket.storage))
  const faults: string[] = []
  for (const [path, form, authenticated] of ENDPOINTS) {
    for (const [name, { authorization, fields = [] }, outcome] of clientAuthenticationCases(
      clients,
    )) {
      const headers = authorization === undefined ? {} : { authorization }
      const reply = await postForm(docket, path, [...form, ...fields], { headers })
      const word = summarizeOAuthReply(reply)
      if (word !== (outcome === 'in' ? authenticated : outcome)) {
        faults.push(`${path}, ${name}: ${reply.status} ${reply.text}`)
      }
      const isChallenged = reply.status === 401 && authorization !== undefined
      const challenge = isChallenged ? 'Basic realm="docket"' : undefined
      assert.equal(reply.headers['www-authenticate'], challenge, name)
      assert.equal(reply.headers['cache-control'], 'no-store')
      assert.doesNotMatch(reply.text, new RegExp(clients.confidential.secret ?? ''))
    }
  }
  assert.deepEqual(faults, [])
})

test('refuses a request with two Authorization headers', async () => {
  const docket = await openTestDocket('sqlite')
  const { confidential } = await createClients(docket, await createTestWorkspace(docket.storage))
  const port = await listenOnPort(docket.server)
  const right = `Authorization: ${basicAuthorization(confidential.id, confidential.secret ?? '')}\r\n`
  const wrong = 'Authorization: Basic eDp5\r\n'
  for (const [headers, status] of [
    [right, 200],
    [right + right, 400],
    [right + wrong, 400],
    [wrong + right, 400],
  ] as const) {
    const type = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n'
    const head = `POST /oauth/introspect HTTP/1.1\r\nHost: 127.0.0.1:4000\r\n${type}${headers}\r\n`
    const { replies } = await exchangeRaw(port, `${head}token=x`)
    assert.equal(replies[0]?.status, status, headers)
  }
})

test('limits failed client authentication by address, without affecting valid clients', async () => {
  const docket = await openTestDocket(
    'sqlite',
    {},
    { clock: createTestClock(), unauthenticatedLimit: 5 },
  )
  const team = await createTestWorkspace(docket.storage)
  const { confidential } = await createClients(docket, team)
  const good = basicAuthorization(confidential.id, confidential.secret ?? '')
  const fields = [['token', 'x']] as const
  const guess = (address: string, authorization = basicAuthorization(confidential.id, 'x')) =>
    postForm(docket, '/oauth/introspect', fields, { headers: { authorization }, address })
  const address = newClientAddress()
  const outcomes = []
  for (let at = 0; at < 7; at += 1) outcomes.push(summarizeOAuthReply(await guess(address)))
  const [limitedReply, validClient, other] = [
    await guess(address),
    await guess(address, good),
    await guess(newClientAddress()),
  ]
  const headers = { authorization: `Bearer ${team.keys.owner}` }
  const request = { url: '/api/v1/me', remoteAddress: address }
  const withApiKey = await docket.server.inject({ ...request, headers })
  const withoutKey = await docket.server.inject(request)
  const limited = '429 too_many_unauthenticated_requests'
  assert.deepEqual(outcomes, [...Array(5).fill('401 invalid_client'), limited, limited])
  assert.equal(summarizeOAuthReply(limitedReply), limited)
  assert.match(String(limitedReply.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/)
  assert.equal(limitedReply.headers['x-ratelimit-limit'], undefined)
  assert.deepEqual([validClient.status, summarizeOAuthReply(other)], [200, '401 invalid_client'])
  assert.deepEqual([withApiKey.statusCode, withoutKey.statusCode], [200, 429])
})

test('a client can neither introspect nor revoke the tokens of others', async () => {
  const docket = await openTestDocket('sqlite')
  const team = await createTestWorkspace(docket.storage)
  const clients = await createClients(docket, team)
  const oauthClient = createOAuthClient(docket, team, clients.confidential)
  const tokens = await oauthClient.tokensFor('member')
  const JWT = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.x'
  for (const hint of ['', 'access_token', 'refresh_token', 'unknown']) {
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const form = { token, token_type_hint: hint }
      for (const [app, revoked] of [
        [clients.otherConfidential, '400 invalid_request'],
        [clients.publicClient, '200'],
      ] as const) {
        const other = createOAuthClient(docket, team, app)
        assert.deepEqual((await other.post('/oauth/introspect', form)).body, { active: false })
        assert.equal(summarizeOAuthReply(await other.post('/oauth/revoke', form)), revoked)
      }
      const introspection = await oauthClient.post('/oauth/introspect', form)
      const { exp, iat, ...rest } = introspection.body
      const isAccess = token === tokens.access_token
      assert.deepEqual(rest, {
        active: true,
        client_id: clients.confidential.id,
        scope: 'tasks:read',
        sub: team.people.member,
        iss: docket.config.baseUrl,
        aud: docket.config.baseUrl,
        ...(isAccess && { token_type: 'Bearer' }),
      })
      const lifetime = isAccess ? 3_600 : 30 * 86_400
      assert.ok(Math.abs(Number(exp) - Number(iat) - lifetime) <= 1)
    }
    for (const token of [JWT, 'x', '\0', '\ud800', 'x'.repeat(8_192), `${tokens.access_token}x`]) {
      const form = { token, token_type_hint: hint }
      for (const app of [clients.confidential, clients.publicClient]) {
        const any = createOAuthClient(docket, team, app)
        assert.deepEqual((await any.post('/oauth/introspect', form)).body, { active: false })
        assert.equal((await any.post('/oauth/revoke', form)).text, '')
      }
    }
  }
  assert.equal((await oauthClient.me(tokens.access_token)).status, 200)
  for (const path of ['/oauth/revoke', '/oauth/introspect']) {
    assert.equal(summarizeOAuthReply(await oauthClient.post(path, {})), '400 invalid_request')
  }
})

test('revoking one token revokes its whole family', async () => {
  const docket = await openTestDocket('sqlite')
  const team = await createTestWorkspace(docket.storage)
  for (const type of ['public', 'confidential'] as const) {
    const oauthClient = createOAuthClient(
      docket,
      team,
      await createTestApplication(docket, team, { type }),
    )
    for (const kind of ['access_token', 'refresh_token'] as const) {
      const [first, other] = [
        await oauthClient.tokensFor('member'),
        await oauthClient.tokensFor('member'),
      ]
      const second = (await oauthClient.refresh(first.refresh_token)).body
      const reply = await oauthClient.post('/oauth/revoke', { token: String(second[kind]) })
      assert.deepEqual([reply.status, reply.text], [200, ''])
      for (const token of [first.access_token, String(second.access_token)]) {
        assert.equal((await oauthClient.me(token)).status, 401)
        assert.deepEqual((await oauthClient.post('/oauth/introspect', { token })).body, {
          active: false,
        })
      }
      assert.equal(
        summarizeOAuthReply(await oauthClient.refresh(String(second.refresh_token))),
        '400 invalid_grant',
      )
      assert.equal(
        (await oauthClient.post('/oauth/revoke', { token: String(second[kind]) })).status,
        200,
      )
      assert.equal((await oauthClient.me(other.access_token)).status, 200)
    }
  }
})
