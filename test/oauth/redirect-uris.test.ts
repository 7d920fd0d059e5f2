import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '../support/oauth/oauth-client.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { authorizationFields, isConsentAsked, sendAuthorizationRequest } from './send-requests.ts'

/** The registered redirect URIs of an application of each type. */
const REGISTERED_REDIRECT_URIS = {
  public: ['https://app.example/cb', 'http://127.0.0.1:8000/cb', 'com.example.app:/cb'],
  confidential: ['https://app.example/cb', 'http://127.0.0.1:8000/cb', 'https://app.example/a?b=c'],
} as const

/** A public application may use any port of a registered address of this computer. */
const LOOPBACK_URIS_ON_OTHER_PORTS = ['http://127.0.0.1/cb', 'http://127.0.0.1:1/cb']

/** URIs that some parser takes for a registered one; src/wire/redirect-uri.test.ts has more of each kind. */
const MISLEADING_REDIRECT_URIS = [
  'https://app.example/cb/',
  'https://app.example/./cb',
  'https://app.example/%63b',
  'https://app.example/cb?x=y',
  'https://app.example/cb#',
  'https://app.example/a?b=c&b=d',
  'HTTPS://app.example/cb',
  'https://app.example:443/cb',
  'https://app.example.evil.example/cb',
  'https://\u0430pp.example/cb',
  'https://app.example@evil.example/cb',
  'https://evil.example\\@app.example/cb',
  'https://app.exa\tmple/cb',
  'https://app.example/cb\u0000',
  'http://2130706433:8000/cb',
  'http://127.0.0.1:8001/CB',
  'http://127.0.0.1:8000@evil.example/cb',
  'com.example.app2:/cb',
  'javascript:alert(1)',
  'https://registered.invalid',
]

for (const engine of ENGINES) {
  test(`sends the code to the exact redirect URI of the request (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const team = await createTestWorkspace(docket.storage)
    const redirect_uris = ['https://app.example/a?b=c&d=%2F', 'http://127.0.0.1/cb', 'com.a.b:/cb']
    const app = await createTestApplication(docket, team, { redirect_uris })
    const registeredUris = { 'http://127.0.0.1:49152/cb': 'http://127.0.0.1/cb' }
    for (const redirect_uri of [...redirect_uris, ...Object.keys(registeredUris)]) {
      const { codeFor, exchange } = createOAuthClient(docket, team, { ...app, redirect_uri })
      const { code, verifier, back } = await codeFor('member')
      assert.equal(back.get('iss'), docket.config.baseUrl)
      if (redirect_uri.includes('?')) assert.deepEqual([back.get('b'), back.get('d')], ['c', '/'])
      // The code is bound to the URI with the port that was used.
      const registered = Object.entries(registeredUris).find(([uri]) => uri === redirect_uri)?.[1]
      if (registered !== undefined) {
        assert.equal((await exchange(code, verifier, { redirect_uri: registered })).status, 400)
      }
      assert.equal((await exchange(code, verifier)).status, 200)
    }
  })
}

test('never redirects to a URI that only resembles a registered one', async () => {
  const docket = await openTestDocket('sqlite')
  const team = await createTestWorkspace(docket.storage)
  const { headers } = await createTestSession(docket.storage, team, 'member', docket.config.baseUrl)
  for (const type of ['public', 'confidential'] as const) {
    const app = await createTestApplication(docket, team, {
      type,
      redirect_uris: REGISTERED_REDIRECT_URIS[type],
    })
    const ask = (redirect_uri: string, twist = {}) => {
      const fields = authorizationFields(app, { redirect_uri, ...twist })
      return sendAuthorizationRequest(docket, fields, { cookie: headers.cookie })
    }
    const validUris = [
      ...REGISTERED_REDIRECT_URIS[type],
      ...(type === 'public' ? LOOPBACK_URIS_ON_OTHER_PORTS : []),
    ]
    for (const uri of validUris) {
      assert.ok(isConsentAsked(await ask(uri)), uri)
      // An error goes to the URI that the code would have gone to.
      const { location } = await ask(uri, { scope: 'x' })
      assert.ok(location.startsWith(`${uri}${uri.includes('?') ? '&' : '?'}error=`), location)
    }
    const others = type === 'public' ? [] : [...LOOPBACK_URIS_ON_OTHER_PORTS, 'com.example.app:/cb']
    for (const uri of [...MISLEADING_REDIRECT_URIS, ...others]) {
      for (const twist of [{}, { scope: 'x' }, { response_type: 'token' }, { prompt: 'none' }]) {
        const { status, location, text } = await ask(uri, twist)
        assert.deepEqual([status, location], [400, ''], `${type}: ${uri}`)
        assert.doesNotMatch(text, /evil|alert/, uri)
      }
    }
  }
})
