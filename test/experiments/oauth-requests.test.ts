import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { docketOn, ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { client, newApp } from '../support/oauth.ts'
import { sessionOf } from '../support/session.ts'
import { asking, authorize, CHALLENGE, isAsked, type Sent } from './oauth.ts'
import { requests } from './oauth-requests.ts'

/** What is told of an application that asks wrongly: where the browser goes, or that it stays. */
function outcomeOf(sent: Sent, redirect_uri: string): string {
  if (isAsked(sent)) return 'asked'
  if (sent.status === 303 && sent.location.startsWith(`${redirect_uri}?`)) {
    return new URL(sent.location).searchParams.get('error') ?? 'no error'
  }
  return sent.status === 400 && sent.location === '' ? 'page' : `${sent.status} ${sent.location}`
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

for (const engine of ENGINES) {
  test(`each parameter of a request for authorization is held to the contract (${engine})`, async () => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    const app = await newApp(docket, home, { scopes: ['tasks:read', 'tags:read'] })
    const { baseUrl } = docket.config
    const { headers } = await sessionOf(docket.storage, home, 'member', baseUrl)
    const faults: string[] = []
    for (const [name, fields, outcome] of requests(app, baseUrl)) {
      const sent = await authorize(docket, fields, { cookie: headers.cookie })
      const came = outcomeOf(sent, app.redirect_uri)
      if (came !== outcome) faults.push(`${name}: ${came}, not ${outcome}`)
      if (came === 'asked' || came === 'page') continue
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

  test(`the state comes back as it was sent, whatever comes of the request (${engine})`, async () => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    const app = await newApp(docket, home)
    const { codeFor, ask, decide, goOn } = client(docket, home, app)
    const signedIn = await sessionOf(docket.storage, home, 'member', docket.config.baseUrl)
    for (const state of STATES) {
      assert.equal((await codeFor('member', { state })).back.get('state'), state)
      const asked = await ask({ state, code_challenge: CHALLENGE }, signedIn)
      const denied = await decide(asked.uid, signedIn, asked.cookies, { decision: 'deny' })
      const { location } = await goOn(String(denied.body.redirect_to), asked.cookies)
      const back = Object.fromEntries(new URL(location).searchParams)
      const { error_description, ...rest } = back
      assert.deepEqual(rest, { error: 'access_denied', state, iss: docket.config.baseUrl })
      const { location: wrong } = await authorize(docket, asking(app, { state, scope: 'x' }))
      assert.equal(new URL(wrong).searchParams.get('state'), state)
    }
  })

  test(`a page of errors says nothing that the request wrote, and cannot be framed (${engine})`, async () => {
    const docket = await docketOn(engine)
    const app = await newApp(docket, await newHome(docket.storage))
    const markup = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    for (const twist of [
      { client_id: markup },
      { redirect_uri: `https://evil.example/${markup}` },
      { redirect_uri: `javascript:${markup}` },
      { redirect_uri: undefined, state: markup, scope: markup },
      { client_id: undefined, response_type: markup, prompt: markup },
    ]) {
      const { status, headers, text, location } = await authorize(docket, asking(app, twist))
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
}
