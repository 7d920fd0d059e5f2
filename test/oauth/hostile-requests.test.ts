import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCOPES } from '#wire/scopes.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '../support/oauth/oauth-client.ts'
import { newClientAddress } from '../support/world/cookie-client.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { registrationCases, sendHostileRequests } from './hostile-requests.ts'
import { postForm, summarizeOAuthReply } from './send-requests.ts'

const FORM = 'application/x-www-form-urlencoded'

test('refuses every hostile request without a 5xx', async (t) => {
  const docket = await openTestDocket('sqlite')
  const team = await createTestWorkspace(docket.storage)
  const app = await createTestApplication(docket, team, { type: 'confidential' })
  const { asked, faults } = await sendHostileRequests(docket, app)
  t.diagnostic(`${asked} requests`)
  assert.ok(asked > 1_000)
  assert.deepEqual(faults, [])
  await createOAuthClient(docket, team, app).tokensFor('member')
})

test('dynamic registration works only where it is switched on', async () => {
  const withoutRegistration = await openTestDocket('sqlite')
  const payload = { redirect_uris: ['http://127.0.0.1/cb'], client_name: 'Tool' }
  const registration = { method: 'POST', url: '/oauth/register', payload } as const
  assert.equal((await withoutRegistration.server.inject(registration)).statusCode, 404)
  const metadata = await withoutRegistration.server.inject(
    '/.well-known/oauth-authorization-server',
  )
  assert.equal(metadata.json().registration_endpoint, undefined)

  const docket = await openTestDocket('sqlite', { DOCKET_OAUTH_REGISTRATION: '1' })
  const open = await docket.server.inject('/.well-known/oauth-authorization-server')
  assert.equal(open.json().registration_endpoint, `${docket.config.baseUrl}/oauth/register`)
  for (const [payload, isValid] of registrationCases()) {
    const reply = await docket.server.inject({
      ...registration,
      payload,
      remoteAddress: newClientAddress(),
    })
    const of = JSON.stringify(payload)
    assert.equal(reply.headers['cache-control'], 'no-store')
    assert.equal(reply.headers['access-control-allow-origin'], undefined)
    const { error, ...made } = reply.json()
    assert.equal(reply.statusCode, isValid ? 201 : 400, `${of}: ${reply.body}`)
    if (!isValid) assert.match(error, /^invalid_(client_metadata|redirect_uri)$/, of)
    if (!isValid) continue
    assert.equal(made.client_secret, undefined)
    assert.equal(made.token_endpoint_auth_method, 'none')
    assert.deepEqual(made.grant_types, ['authorization_code', 'refresh_token'])
    assert.deepEqual(made.response_types, ['code'])
    assert.equal(new Set(made.redirect_uris).size, made.redirect_uris.length)
    assert.ok(made.scope.split(' ').every((name: string) => SCOPES.some((one) => one === name)))
  }
  const made = (
    await docket.server.inject({ ...registration, remoteAddress: newClientAddress() })
  ).json()
  const redirect_uri = 'http://127.0.0.1:50123/cb'
  const app = { id: made.client_id, secret: undefined, redirect_uri }
  const oauthClient = createOAuthClient(docket, await createTestWorkspace(docket.storage), app)
  const { access_token } = await oauthClient.tokensFor('guest')
  assert.equal((await oauthClient.me(access_token)).status, 200)
})

test('supports no other grant types', async () => {
  const docket = await openTestDocket('sqlite')
  const team = await createTestWorkspace(docket.storage)
  const app = await createTestApplication(docket, team, { type: 'confidential' })
  const oauthClient = createOAuthClient(docket, team, app)
  const { code, verifier } = await oauthClient.codeFor('member')
  const otherFields = { username: 'x', password: 'x', scope: 'tasks:read', device_code: 'x' }
  for (const grant_type of [
    'password',
    'client_credentials',
    'implicit',
    'AUTHORIZATION_CODE',
    'x',
    '\0',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:openid:params:grant-type:ciba',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'authorization_code refresh_token',
  ]) {
    const reply = await oauthClient.post('/oauth/token', {
      ...otherFields,
      code,
      grant_type,
      assertion: 'x',
    })
    assert.equal(summarizeOAuthReply(reply), '400 unsupported_grant_type', grant_type)
  }
  assert.equal(
    summarizeOAuthReply(await oauthClient.post('/oauth/token', otherFields)),
    '400 invalid_request',
  )
  const target = await oauthClient.exchange(code, verifier, { resource: 'https://evil.example' })
  assert.equal(summarizeOAuthReply(target), '400 invalid_target')
  const fields = [
    ...Object.entries({ client_id: app.id, client_secret: app.secret ?? '', code }),
    ...Object.entries({ redirect_uri: app.redirect_uri, code_verifier: verifier }),
    ['grant_type', 'authorization_code'] as const,
  ] as const
  for (const twice of fields) {
    const reply = await postForm(docket, '/oauth/token', [...fields, twice])
    assert.equal(summarizeOAuthReply(reply), '400 invalid_request', twice[0])
  }
  assert.equal((await postForm(docket, '/oauth/token', fields)).status, 200)
})

test('each endpoint accepts only its own methods and content types', async () => {
  const docket = await openTestDocket('sqlite')
  const app = await createTestApplication(docket, await createTestWorkspace(docket.storage), {
    type: 'confidential',
  })
  const { server } = docket
  const unknownPaths = [
    'jwks',
    'me',
    'userinfo',
    'device',
    'par',
    'request',
    'session/end',
    'none/keys',
    'none/end',
    'consent/x',
    'token/',
    'token/x',
    'Token',
    'authorize/',
    'reg',
    'backchannel',
  ].map((name) => `/oauth/${name}`)
  for (const url of [
    ...unknownPaths,
    '/.well-known/openid-configuration',
    '/.well-known/jwks.json',
  ]) {
    for (const method of ['GET', 'POST'] as const) {
      const { statusCode } = await server.inject({ method, url })
      const isPage = url === '/oauth/consent/x' && method === 'GET'
      if (!isPage) assert.ok([404, 405].includes(statusCode), `${method} ${url}: ${statusCode}`)
    }
  }
  const readEndpoints = ['/oauth/authorize', '/oauth/authorize/x']
  const documents = ['oauth-authorization-server', 'oauth-protected-resource']
  const postEndpoints = ['/oauth/token', '/oauth/revoke', '/oauth/introspect']
  for (const url of [
    ...readEndpoints,
    ...postEndpoints,
    ...documents.map((name) => `/.well-known/${name}`),
  ]) {
    const isPosted = postEndpoints.includes(url)
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      if (isPosted ? method === 'POST' : ['GET', 'HEAD'].includes(method)) continue
      const { statusCode, headers } = await server.inject({ method, url })
      const allow = isPosted ? 'POST' : 'GET, HEAD'
      assert.deepEqual([statusCode, headers.allow], [405, allow], `${method} ${url}`)
    }
    const { headers } = await server.inject({ method: 'OPTIONS', url })
    const origin = readEndpoints.includes(url) ? undefined : '*'
    assert.equal(headers['access-control-allow-origin'], origin, url)
    assert.equal(headers['access-control-allow-credentials'], undefined)
  }
  const send = (url: string, type: string, payload: string, headers = {}) =>
    server.inject({ method: 'POST', url, headers: { 'content-type': type, ...headers }, payload })
  for (const url of postEndpoints) {
    const body = `client_id=${app.id}&client_secret=${app.secret}&token=x`
    for (const [type, status] of [
      [FORM, url === '/oauth/token' ? 400 : 200],
      [`${FORM}; charset=UTF-8`, url === '/oauth/token' ? 400 : 200],
      [`${FORM}; charset=latin1`, 415],
      [`${FORM}x`, 415],
      ['application/json', 415],
      ['multipart/form-data; boundary=x', 415],
      ['text/plain', 415],
      ['', 415],
    ] as const) {
      assert.equal((await send(url, type, body)).statusCode, status, `${url} ${type}`)
    }
    assert.equal((await send(url, FORM, body, { 'content-encoding': 'gzip' })).statusCode, 415)
  }
  const body = `client_id=${app.id}&client_secret=${app.secret}`
  const largestBody = `${body}&x=${'x'.repeat(16_384 - body.length - 3)}`
  assert.ok((await send('/oauth/token', FORM, largestBody)).statusCode <= 400)
  assert.equal((await send('/oauth/token', FORM, `${largestBody}x`)).statusCode, 413)
})
