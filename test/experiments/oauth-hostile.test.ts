import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCOPES } from '#wire/scopes.ts'
import { newAddress } from '../support/browser.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { client, newApp } from '../support/oauth.ts'
import { sendForm, wordOf } from './oauth.ts'
import { besiege, registrations } from './oauth-hostile.ts'

const FORM = 'application/x-www-form-urlencoded'

for (const engine of ENGINES) {
  test(`whatever is sent, it is refused and breaks nothing (${engine})`, async (t) => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    const app = await newApp(docket, home, { type: 'confidential' })
    const { asked, faults } = await besiege(docket, app)
    t.diagnostic(`${asked} requests`)
    assert.ok(asked > 1_000)
    assert.deepEqual(faults, [])
    await client(docket, home, app).tokensFor('member')
  })

  test(`an application registers itself where that is switched on, and then works (${engine})`, async () => {
    const closed = await docketOn(engine)
    const payload = { redirect_uris: ['http://127.0.0.1/cb'], client_name: 'Tool' }
    const asked = { method: 'POST', url: '/oauth/register', payload } as const
    assert.equal((await closed.server.inject(asked)).statusCode, 404)
    const told = await closed.server.inject('/.well-known/oauth-authorization-server')
    assert.equal(told.json().registration_endpoint, undefined)

    const docket = await docketOn(engine, { DOCKET_OAUTH_REGISTRATION: '1' })
    const open = await docket.server.inject('/.well-known/oauth-authorization-server')
    assert.equal(open.json().registration_endpoint, `${docket.config.baseUrl}/oauth/register`)
    for (const [payload, isRight] of registrations()) {
      const reply = await docket.server.inject({ ...asked, payload, remoteAddress: newAddress() })
      const of = JSON.stringify(payload)
      assert.equal(reply.headers['cache-control'], 'no-store')
      assert.equal(reply.headers['access-control-allow-origin'], undefined)
      const { error, ...made } = reply.json()
      assert.equal(reply.statusCode, isRight ? 201 : 400, `${of}: ${reply.body}`)
      if (!isRight) assert.match(error, /^invalid_(client_metadata|redirect_uri)$/, of)
      if (!isRight) continue
      assert.equal(made.client_secret, undefined)
      assert.equal(made.token_endpoint_auth_method, 'none')
      assert.deepEqual(made.grant_types, ['authorization_code', 'refresh_token'])
      assert.deepEqual(made.response_types, ['code'])
      assert.equal(new Set(made.redirect_uris).size, made.redirect_uris.length)
      assert.ok(made.scope.split(' ').every((name: string) => SCOPES.some((one) => one === name)))
    }
    const made = (await docket.server.inject({ ...asked, remoteAddress: newAddress() })).json()
    const redirect_uri = 'http://127.0.0.1:50123/cb'
    const app = { id: made.client_id, secret: undefined, redirect_uri }
    const own = client(docket, await newHome(docket.storage), app)
    const { access_token } = await own.tokensFor('guest')
    assert.equal((await own.me(access_token)).status, 200)
  })

  test(`there are no other ways to a token (${engine})`, async () => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    const app = await newApp(docket, home, { type: 'confidential' })
    const own = client(docket, home, app)
    const { code, verifier } = await own.codeFor('member')
    const more = { username: 'x', password: 'x', scope: 'tasks:read', device_code: 'x' }
    for (const grant_type of [
      ...['password', 'client_credentials', 'implicit', 'AUTHORIZATION_CODE', 'x', '\0'],
      ...['urn:ietf:params:oauth:grant-type:device_code', 'urn:openid:params:grant-type:ciba'],
      ...['urn:ietf:params:oauth:grant-type:token-exchange'],
      ...['urn:ietf:params:oauth:grant-type:jwt-bearer', 'authorization_code refresh_token'],
    ]) {
      const said = await own.post('/oauth/token', { ...more, code, grant_type, assertion: 'x' })
      assert.equal(wordOf(said), '400 unsupported_grant_type', grant_type)
    }
    assert.equal(wordOf(await own.post('/oauth/token', more)), '400 invalid_request')
    const target = await own.exchange(code, verifier, { resource: 'https://evil.example' })
    assert.equal(wordOf(target), '400 invalid_target')
    const fields = [
      ...Object.entries({ client_id: app.id, client_secret: app.secret ?? '', code }),
      ...Object.entries({ redirect_uri: app.redirect_uri, code_verifier: verifier }),
      ['grant_type', 'authorization_code'] as const,
    ] as const
    for (const twice of fields) {
      const said = await sendForm(docket, '/oauth/token', [...fields, twice])
      assert.equal(wordOf(said), '400 invalid_request', twice[0])
    }
    assert.equal((await sendForm(docket, '/oauth/token', fields)).status, 200)
  })

  test(`each address takes its own methods and forms, and there are no others (${engine})`, async () => {
    const docket = await docketOn(engine)
    const app = await newApp(docket, await newHome(docket.storage), { type: 'confidential' })
    const { server } = docket
    const far = [
      ...['jwks', 'me', 'userinfo', 'device', 'par', 'request', 'session/end', 'none/keys'],
      ...[
        'none/end',
        'consent/x',
        'token/',
        'token/x',
        'Token',
        'authorize/',
        'reg',
        'backchannel',
      ],
    ].map((name) => `/oauth/${name}`)
    for (const url of [...far, '/.well-known/openid-configuration', '/.well-known/jwks.json']) {
      for (const method of ['GET', 'POST'] as const) {
        const { statusCode } = await server.inject({ method, url })
        const isPage = url === '/oauth/consent/x' && method === 'GET'
        if (!isPage) assert.ok([404, 405].includes(statusCode), `${method} ${url}: ${statusCode}`)
      }
    }
    const looked = ['/oauth/authorize', '/oauth/authorize/x']
    const documents = ['oauth-authorization-server', 'oauth-protected-resource']
    const posted = ['/oauth/token', '/oauth/revoke', '/oauth/introspect']
    for (const url of [...looked, ...posted, ...documents.map((name) => `/.well-known/${name}`)]) {
      const isPosted = posted.includes(url)
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        if (isPosted ? method === 'POST' : ['GET', 'HEAD'].includes(method)) continue
        const { statusCode, headers } = await server.inject({ method, url })
        const allow = isPosted ? 'POST' : 'GET, HEAD'
        assert.deepEqual([statusCode, headers.allow], [405, allow], `${method} ${url}`)
      }
      const { headers } = await server.inject({ method: 'OPTIONS', url })
      const origin = looked.includes(url) ? undefined : '*'
      assert.equal(headers['access-control-allow-origin'], origin, url)
      assert.equal(headers['access-control-allow-credentials'], undefined)
    }
    const send = (url: string, type: string, payload: string, headers = {}) =>
      server.inject({ method: 'POST', url, headers: { 'content-type': type, ...headers }, payload })
    for (const url of posted) {
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
    const most = `${body}&x=${'x'.repeat(65_536 - body.length - 3)}`
    assert.ok((await send('/oauth/token', FORM, most)).statusCode <= 400)
    assert.equal((await send('/oauth/token', FORM, `${most}x`)).statusCode, 413)
  })
}
