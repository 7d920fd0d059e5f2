import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { PASSWORD, withPassword } from '../support/account.ts'
import { browser, endOf } from '../support/browser.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { sessionOf } from '../support/session.ts'
import { tokensOf } from '../support/tokens.ts'
import { all, countedHashes, forged, watched } from './sessions.ts'

for (const engine of ENGINES) {
  test(`no write is taken from another origin, by any route (${engine})`, async () => {
    const served = await docketOn(engine)
    const home = await newHome(served.storage)
    const { server, seen } = await watched(served)
    const session = () => sessionOf(served.storage, home, 'owner')
    assert.deepEqual(await forged(server, session, () => seen.changes), [])
    await server.close()
  })

  test(`of fifty guesses at once ten are looked at, and nobody else is locked out (${engine})`, async () => {
    const { storage, server } = await docketOn(engine)
    const home = await newHome(storage)
    const [victim, other] = [
      await withPassword(storage, home, 'member'),
      await withPassword(storage, home, 'admin'),
    ]
    const signIn = (who: ReturnType<typeof browser>, email: string, password = PASSWORD) =>
      who.send('POST /internal/session', { email, password })
    const [known, stranger] = [browser(server), browser(server)]
    assert.equal((await signIn(known, victim)).status, 201)
    const signedIn = await sessionOf(storage, home, 'member')

    const guesses = Array.from({ length: 50 }, (_, at) => {
      return signIn(browser(server), victim, at === 49 ? PASSWORD : `guess number ${at}`)
    })
    const ended = (await Promise.all(guesses)).map(endOf)
    const count = (how: string) => ended.filter((one) => one === how).length
    assert.deepEqual([count('401 invalid_credentials'), count('429 too_many_attempts')], [10, 40])

    const late = await signIn(stranger, victim)
    assert.equal(endOf(late), '429 too_many_attempts')
    assert.match(late.headers['retry-after'] ?? '', /^(900|8[89]\d)$/)
    assert.equal(late.headers['set-cookie'], undefined)
    // The same from the same address for another; the victim where it was before; by key and session.
    assert.equal(endOf(await signIn(stranger, other)), '201')
    await known.send('DELETE /internal/session')
    assert.equal(endOf(await signIn(known, victim)), '201')
    const url = '/api/v1/me'
    const authorization = `Bearer ${home.keys.member}`
    assert.equal((await server.inject({ url, headers: { authorization } })).statusCode, 200)
    assert.equal((await server.inject({ url, headers: signedIn.headers })).statusCode, 200)
    // A browser that was let in by another account is a stranger to this one, and so is a forged one.
    assert.equal(endOf(await signIn(stranger, victim)), '429 too_many_attempts')
    const device = known.jar.get('docket_device') ?? ''
    const thief = browser(server)
    thief.jar.set('docket_device', `${device.slice(0, -2)}xx`)
    assert.equal(endOf(await signIn(thief, victim)), '429 too_many_attempts')
    // And the known browser has its own count, which ends too.
    for (let failed = 0; failed < 10; failed += 1) await signIn(known, victim, 'not the one')
    assert.equal(endOf(await signIn(known, victim)), '429 too_many_attempts')
  })

  test(`the present password is guessed no more often than at the door (${engine})`, async () => {
    const { storage, server } = await docketOn(engine)
    const home = await newHome(storage)
    await withPassword(storage, home, 'member')
    const { headers } = await sessionOf(storage, home, 'member')
    const guess = (current_password: string) =>
      browser(server).send(
        'PATCH /internal/account',
        { email: 'mallory@example.com', current_password },
        { headers },
      )
    const guesses = Array.from({ length: 20 }, (_, at) => guess(`guess number ${at}`))
    const ended = (await Promise.all(guesses)).map(endOf)
    assert.equal(ended.filter((one) => one === '422 validation_failed').length, 10)
    assert.equal(endOf(await guess(PASSWORD)), '429 too_many_attempts')
  })

  test(`a session is never one that somebody planted or made up (${engine})`, async () => {
    const { storage, server } = await docketOn(engine)
    const home = await newHome(storage)
    const email = await withPassword(storage, home, 'member')
    const planted = randomBytes(32).toString('base64url')
    const own = await sessionOf(storage, home, 'guest')
    for (const value of [planted, own.value]) {
      const victim = browser(server)
      victim.jar.set('docket_session', value)
      await victim.send('POST /internal/session', { email, password: PASSWORD })
      assert.notEqual(victim.jar.get('docket_session'), value)
      assert.equal(endOf(await victim.send('GET /internal/session')), '200')
      const thief = browser(server)
      thief.jar.set('docket_session', value)
      assert.equal(endOf(await thief.send('GET /internal/session')), '401 authentication_required')
    }
    const made = [
      planted.slice(1),
      `${planted}x`,
      '',
      "' or 1=1 --",
      '\u00e9'.repeat(43),
      home.keys.owner,
    ]
    for (const value of made) {
      const headers = { cookie: `docket_session=${value}` }
      const reply = await server.inject({ url: '/internal/session', headers })
      assert.equal(reply.statusCode, 401, value)
    }
  })
}

test('writes from other origins that are let in are found out', async () => {
  const served = await docketOn('sqlite')
  const home = await newHome(served.storage)
  const { server, seen } = await watched(served, true)
  const session = () => sessionOf(served.storage, home, 'owner')
  const faults = (await forged(server, session, () => seen.changes)).join('\n')
  assert.match(faults, /^POST \/api\/v1\/tasks from \{\}: 422/m)
  assert.match(faults, /^POST \/internal\/session from .*: 4(15|22)/m)
  assert.match(faults, /^DELETE \/internal\/session from .* changes something/m)
  await server.close()
})

test('what serves the web app alone takes no key or token, whatever else is sent along', async () => {
  const docket = await docketOn('sqlite')
  const { storage, server } = docket
  const home = await newHome(storage)
  const { headers } = await sessionOf(storage, home, 'owner')
  const token = await (await tokensOf(docket, home))('owner')
  const sent = [`Bearer ${home.keys.owner}`, `Bearer ${token}`, 'Bearer x', 'Basic eDp5', '']
  for (const { endpoint } of all) {
    if (!endpoint.path.startsWith('/internal/')) continue
    for (const authorization of sent) {
      const reply = await server.inject({
        method: endpoint.method,
        url: endpoint.path.replaceAll(/:\w+/g, 'x'),
        headers: { ...headers, authorization },
      })
      const { code } = reply.json<{ error: { code: string } }>().error
      const asked = `${endpoint.method} ${endpoint.path}`
      assert.deepEqual([asked, reply.statusCode, code], [asked, 403, 'session_required'])
      assert.equal(reply.headers['access-control-allow-origin'], undefined)
    }
  }
})

test('a session asks 600 times a minute, and other sessions and the workspace go on', async () => {
  const { storage, server } = await docketOn('sqlite')
  const home = await newHome(storage)
  const [one, other] = [
    await sessionOf(storage, home, 'owner'),
    await sessionOf(storage, home, 'owner'),
  ]
  const ask = async (headers: Record<string, string>, url = '/internal/session') =>
    server.inject({ url, headers })
  // The minute may end in between: then it begins anew, once.
  for (let tries = 0; tries < 2; tries += 1) {
    const minute = Math.floor(Date.now() / 60_000)
    const replies = []
    for (let asked = 0; asked < 601; asked += 1) replies.push(await ask(one.headers))
    if (Math.floor(Date.now() / 60_000) !== minute) continue
    assert.deepEqual(
      replies.slice(598).map(({ statusCode }) => statusCode),
      [200, 200, 429],
    )
    const last = replies.at(-1)
    assert.equal(last?.json().error.code, 'too_many_session_requests')
    assert.match(String(last?.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/)
    assert.equal(last?.headers['x-ratelimit-limit'], undefined)
    assert.equal((await ask(other.headers)).statusCode, 200)
    assert.equal((await ask(one.headers, '/api/v1/me')).statusCode, 200)
    break
  }
})

test('a sign-in is looked at with the same work, whether there is an account or not', async (t) => {
  const { storage, server } = await docketOn('sqlite')
  const email = await withPassword(storage, await newHome(storage), 'member')
  const hashes = countedHashes(t)
  const hashesFor = async (email: string, headers = {}) => {
    const before = hashes()
    const body = { email, password: 'not the password' }
    await browser(server).send('POST /internal/session', body, { headers })
    return hashes() - before
  }
  // What a hash takes is the same without an account, too: see the tests of passwords.
  assert.equal(await hashesFor(email), 1)
  assert.equal(await hashesFor(`no.${email}`), 1)
  assert.equal(await hashesFor(email, { origin: 'null' }), 0)
})
