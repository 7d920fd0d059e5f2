import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '../support/oauth/oauth-client.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { authorizationCases } from './authorization-cases.ts'
import {
  type AuthorizationReply,
  authorizationFields,
  isConsentAsked,
  sendAuthorizationRequest,
  UNUSED_CODE_CHALLENGE,
} from './send-requests.ts'

/** Summarizes a reply: consent, an error in a redirect, or an error page. */
function outcomeOf(reply: AuthorizationReply, redirect_uri: string): string {
  if (isConsentAsked(reply)) return 'asked'
  if (reply.status === 303 && reply.location.startsWith(`${redirect_uri}?`)) {
    return new URL(reply.location).searchParams.get('error') ?? 'no error'
  }
  return reply.status === 400 && reply.location === ''
    ? 'page'
    : `${reply.status} ${reply.location}`
}

const STATES = [
  Array.from({ length: 127 - 32 }, (_, at) => String.fromCharCode(at + 32)).join(''),
  '\u0000\u0001\u001f\u007f\t\r\nset-cookie: a=b',
  '\u00fc\u20ac\ud83d\ude00\u202e\ufeff\ufffd',
  '{"a":"b","__proto__":{}}',
  'a&code=stolen&iss=https://evil.example#',
  '%00%0d%0a%2e%2e',
  '+ +%20',
]

test('validates each parameter of an authorization request', async () => {
  const docket = await openTestDocket('sqlite')
  const team = await createTestWorkspace(docket.storage)
  const app = await createTestApplication(docket, team, { scopes: ['tasks:read', 'tags:read'] })
  const { baseUrl } = docket.config
  const { headers } = await createTestSession(docket.storage, team, 'member', baseUrl)
  const faults: string[] = []
  for (const [name, fields, outcome] of authorizationCases(app, baseUrl)) {
    const sent = await sendAuthorizationRequest(docket, fields, { cookie: headers.cookie })
    const actual = outcomeOf(sent, app.redirect_uri)
    if (actual !== outcome) faults.push(`${name}: ${actual}, not ${outcome}`)
    if (actual === 'asked' || actual === 'page') continue
    const { error, error_description, scope, ...back } = Object.fromEntries(
      new URL(sent.location).searchParams,
    )
    if (!error_description) faults.push(`${name}: no description at ${sent.location}`)
    const state = new Map(fields).get('state')
    const isTwice = fields.filter(([one]) => one === 'state').length > 1
    const expected = { ...(state && !isTwice && { state }), iss: baseUrl }
    if (!isDeepStrictEqual(back, expected)) faults.push(`${name}: ${sent.location}`)
  }
  assert.deepEqual(faults, [])
})

test('returns the state unchanged, whatever the outcome', async () => {
  const docket = await openTestDocket('sqlite')
  const team = await createTestWorkspace(docket.storage)
  const app = await createTestApplication(docket, team)
  const { codeFor, ask, decide, goOn } = createOAuthClient(docket, team, app)
  const signedIn = await createTestSession(docket.storage, team, 'member', docket.config.baseUrl)
  for (const state of STATES) {
    assert.equal((await codeFor('member', { state })).back.get('state'), state)
    const interaction = await ask({ state, code_challenge: UNUSED_CODE_CHALLENGE }, signedIn)
    const denied = await decide(interaction.uid, signedIn, interaction.cookies, {
      decision: 'deny',
    })
    const { location } = await goOn(String(denied.body.redirect_to), interaction.cookies)
    const back = Object.fromEntries(new URL(location).searchParams)
    const { error_description, ...rest } = back
    assert.deepEqual(rest, { error: 'access_denied', state, iss: docket.config.baseUrl })
    const { location: wrong } = await sendAuthorizationRequest(
      docket,
      authorizationFields(app, { state, scope: 'x' }),
      { cookie: signedIn.headers.cookie },
    )
    assert.equal(new URL(wrong).searchParams.get('state'), state)
  }
})

test('an error page repeats nothing of the request and cannot be framed', async () => {
  const docket = await openTestDocket('sqlite')
  const app = await createTestApplication(docket, await createTestWorkspace(docket.storage))
  const markup = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
  for (const twist of [
    { client_id: markup },
    { redirect_uri: `https://evil.example/${markup}` },
    { redirect_uri: `javascript:${markup}` },
    { redirect_uri: undefined, state: markup, scope: markup },
    { client_id: undefined, response_type: markup, prompt: markup },
  ]) {
    const { status, headers, text, location } = await sendAuthorizationRequest(
      docket,
      authorizationFields(app, twist),
    )
    assert.deepEqual([status, location], [400, ''])
    assert.match(String(headers['content-type']), /^text\/html/)
    assert.match(
      String(headers['content-security-policy']),
      /script-src 'self'.*frame-ancestors 'none'/,
    )
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['access-control-allow-origin'], undefined)
    assert.doesNotMatch(text, /alert\(1\)|evil\.example/)
    assert.equal(headers['set-cookie'], undefined)
  }
})
