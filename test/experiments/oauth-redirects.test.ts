import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docketOn, ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { client, newApp } from '../support/oauth.ts'
import { sessionOf } from '../support/session.ts'
import { asking, authorize, isAsked } from './oauth.ts'
import { OTHER_PORTS, REGISTERED, TRICKS } from './oauth-redirects.ts'

for (const engine of ENGINES) {
  test(`nobody is sent to an address that resembles a registered one (${engine})`, async () => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    const { headers } = await sessionOf(docket.storage, home, 'member', docket.config.baseUrl)
    assert.ok(TRICKS.length > 100)
    for (const type of ['public', 'confidential'] as const) {
      const app = await newApp(docket, home, { type, redirect_uris: REGISTERED[type] })
      const ask = (redirect_uri: string, twist = {}) => {
        const fields = asking(app, { redirect_uri, ...twist })
        return authorize(docket, fields, { cookie: headers.cookie })
      }
      const known = [...REGISTERED[type], ...(type === 'public' ? OTHER_PORTS : [])]
      for (const uri of known) {
        assert.ok(isAsked(await ask(uri)), uri)
        // An error goes where the code would have gone, and nowhere else.
        const { location } = await ask(uri, { scope: 'x' })
        assert.ok(location.startsWith(`${uri}${uri.includes('?') ? '&' : '?'}error=`), location)
      }
      const others = type === 'public' ? [] : [...OTHER_PORTS, 'com.example.app:/cb']
      for (const uri of [...TRICKS, ...others]) {
        for (const twist of [{}, { scope: 'x' }, { response_type: 'token' }, { prompt: 'none' }]) {
          const { status, location, text } = await ask(uri, twist)
          assert.deepEqual([status, location], [400, ''], `${type}: ${uri}`)
          assert.doesNotMatch(text, /evil|alert/, uri)
        }
      }
    }
  })

  test(`a code comes back to where it was asked for, whatever the address has (${engine})`, async () => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    const redirect_uris = ['https://app.example/a?b=c&d=%2F', 'http://127.0.0.1/cb', 'com.a.b:/cb']
    const app = await newApp(docket, home, { redirect_uris })
    const asked = { 'http://127.0.0.1:49152/cb': 'http://127.0.0.1/cb' }
    for (const redirect_uri of [...redirect_uris, ...Object.keys(asked)]) {
      const { codeFor, exchange } = client(docket, home, { ...app, redirect_uri })
      const { code, verifier, back } = await codeFor('member')
      assert.equal(back.get('iss'), docket.config.baseUrl)
      if (redirect_uri.includes('?')) assert.deepEqual([back.get('b'), back.get('d')], ['c', '/'])
      // The port in use belongs to the address that the code is bound to.
      const registered = Object.entries(asked).find(([uri]) => uri === redirect_uri)?.[1]
      if (registered !== undefined) {
        assert.equal((await exchange(code, verifier, { redirect_uri: registered })).status, 400)
      }
      assert.equal((await exchange(code, verifier)).status, 200)
    }
  })
}
