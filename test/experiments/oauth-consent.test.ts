import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY, type Role } from '#core/actor.ts'
import { queryOfAll } from '#storage/statement.ts'
import { ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { client, newApp, newPkce } from '../support/oauth.ts'
import { type SignedIn, sessionOf } from '../support/session.ts'
import { docketInTime, stoppedTime } from './oauth.ts'
import { FOREIGN } from './sessions.ts'

const grantsOf = queryOfAll((db, $: { application_id: string }) =>
  db.selectFrom('grants').select('user_id').where('application_id', '=', $.application_id),
)

for (const engine of ENGINES) {
  const setUp = async () => {
    const docket = await docketInTime(engine)
    const home = await newHome(docket.storage)
    const app = await newApp(docket, home)
    const own = client(docket, home, app)
    const { verifier, challenge } = newPkce()
    const signIn = (role: Role, of = home) =>
      sessionOf(docket.storage, of, role, docket.config.baseUrl)
    const begin = (signedIn?: SignedIn, more = {}) =>
      own.ask({ code_challenge: challenge, ...more }, signedIn)
    const allow = { decision: 'allow', workspace_id: home.workspace }
    /** Looks at a request, or decides it: how that ends. */
    const answer = async (
      uid: string,
      headers: Record<string, string>,
      payload: object | string | undefined = allow,
      method: 'GET' | 'POST' = 'POST',
    ) => {
      const url = `/internal/oauth/interactions/${uid}`
      const asked = { method, url, headers: { 'content-type': 'application/json', ...headers } }
      const sent = method === 'POST' ? { payload } : {}
      const reply = await docket.server.inject({ ...asked, ...sent })
      const body = reply.json()
      return reply.statusCode === 200 ? '200' : `${reply.statusCode} ${body.error.code}`
    }
    const allowed = async () => {
      const grants = await docket.storage.read(NOBODY, (tx) =>
        tx.all(grantsOf, { application_id: app.id }),
      )
      return grants.map(({ user_id }) => user_id)
    }
    const together = (who: SignedIn, cookies: string) => ({
      ...who.headers,
      cookie: `${who.headers.cookie}; ${cookies}`,
    })
    return { docket, home, app, ...own, verifier, signIn, begin, answer, allow, allowed, together }
  }

  test(`a request is answered in the browser and the session in which it began (${engine})`, async () => {
    const { home, signIn, begin, answer, allowed, together } = await setUp()
    const [member, again, thief] = [
      await signIn('member'),
      await signIn('member'),
      await signIn('admin'),
    ]
    const asked = await begin(member)
    const other = await begin(member)
    for (const [headers, end] of [
      [together(again, asked.cookies), '404 not_found'],
      [together(thief, asked.cookies), '404 not_found'],
      [member.headers, '404 not_found'],
      [together(member, other.cookies), '404 not_found'],
      [together(member, asked.cookies.replaceAll(asked.uid, 'x')), '404 not_found'],
      [{ origin: member.headers.origin, cookie: asked.cookies }, '401 authentication_required'],
      [
        { ...together(member, asked.cookies), authorization: `Bearer ${home.keys.member}` },
        '403 session_required',
      ],
    ] as const) {
      for (const method of ['GET', 'POST'] as const) {
        assert.equal(await answer(asked.uid, headers, undefined, method), end)
      }
    }
    for (const uid of ['x', '%00', 'x'.repeat(64), `${asked.uid}x`, asked.uid.toLowerCase()]) {
      assert.equal(await answer(uid, together(member, asked.cookies)), '404 not_found')
    }
    assert.deepEqual(await allowed(), [])
    assert.equal(await answer(asked.uid, together(member, asked.cookies)), '200')
    assert.deepEqual(await allowed(), [home.people.member])

    // One that began without a session belongs to the first that looks at it, in the same browser.
    const free = await begin()
    assert.equal(await answer(free.uid, thief.headers, undefined, 'GET'), '404 not_found')
    assert.equal(await answer(free.uid, together(again, free.cookies), undefined, 'GET'), '200')
    assert.equal(await answer(free.uid, together(thief, free.cookies)), '404 not_found')
    assert.equal(await answer(free.uid, together(again, free.cookies)), '200')
  })

  test(`a request is decided once, and by nobody from elsewhere (${engine})`, async () => {
    const { home, signIn, begin, answer, allow, allowed, together } = await setUp()
    const member = await signIn('member')
    const asked = await begin(member)
    const headers = together(member, asked.cookies)
    for (const foreign of FOREIGN) {
      const { cookie } = headers
      assert.equal(await answer(asked.uid, { cookie, ...foreign }), '403 csrf_rejected')
    }
    const strangers = await newHome((await setUp()).docket.storage)
    for (const body of [
      { decision: 'allow' },
      { ...allow, workspace_id: strangers.workspace },
      { ...allow, workspace_id: 'wsp_00000000000000000000000000' },
      { ...allow, workspace_id: '\u0000' },
      { ...allow, workspace_id: null },
      { ...allow, decision: 'ALLOW' },
      { ...allow, scopes: ['tasks:delete'] },
      { workspace_id: home.workspace },
    ]) {
      assert.equal(await answer(asked.uid, headers, body), '422 validation_failed')
    }
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    const written = `decision=allow&workspace_id=${home.workspace}`
    assert.equal(await answer(asked.uid, form, written), '415 unsupported_media_type')
    assert.deepEqual(await allowed(), [])

    const all = Array.from({ length: 20 }, (_, at) =>
      answer(asked.uid, headers, at % 2 ? allow : { decision: 'deny' }),
    )
    const ends = await Promise.all(all)
    assert.deepEqual(new Set(ends), new Set(['200', '404 not_found']))
    assert.equal(ends.filter((end) => end === '200').length, 1)
    const before = await allowed()
    assert.ok(before.length <= 1)
    for (const body of [allow, { decision: 'deny' }]) {
      assert.equal(await answer(asked.uid, headers, body), '404 not_found')
    }
    assert.deepEqual(await allowed(), before)
  })

  test(`an application is allowed only for a workspace that may use it (${engine})`, async () => {
    const { docket, home, signIn, begin, answer, allow, allowed, together } = await setUp()
    const elsewhere = await newHome(docket.storage)
    const stranger = await signIn('member', elsewhere)
    const asked = await begin(stranger)
    const headers = together(stranger, asked.cookies)
    for (const { workspace } of [elsewhere, home]) {
      const body = { ...allow, workspace_id: workspace }
      assert.equal(await answer(asked.uid, headers, body), '422 validation_failed')
    }
    assert.deepEqual(await allowed(), [])
    assert.equal(await answer(asked.uid, headers, { decision: 'deny' }), '200')
    const open = await newApp(docket, home, { distribution: 'public' })
    const { ask } = client(docket, elsewhere, open)
    const again = await ask({ code_challenge: newPkce().challenge }, stranger)
    const body = { ...allow, workspace_id: elsewhere.workspace }
    assert.equal(await answer(again.uid, together(stranger, again.cookies), body), '200')
  })

  test(`nothing comes of a request that was not allowed, or in another browser (${engine})`, async () => {
    const { signIn, begin, decide, goOn, exchange, verifier } = await setUp()
    const member = await signIn('member')
    const asked = await begin(member)
    const path = `http://x/oauth/authorize/${asked.uid}`
    // Before the decision: back to the page that asks, or to nowhere.
    const early = await goOn(path, asked.cookies)
    assert.doesNotMatch(early.location, /code=/)
    const fresh = await begin(member)
    const { body } = await decide(fresh.uid, member, fresh.cookies)
    const next = String(body.redirect_to)
    const other = await begin(await signIn('admin'))
    const forged = fresh.cookies.replace(/(docket_oauth_resume=[^;]*)/, '$1x')
    const spoiled = fresh.cookies.replace(/(docket_oauth_resume\.sig=)[^;]*/, '$1x')
    // Who waits for a decision of their own is led to that.
    const led = await goOn(next, other.cookies)
    assert.doesNotMatch(led.location, /code=|app\.example/)
    for (const cookies of ['', forged, spoiled]) {
      const gone = await goOn(next, cookies)
      assert.deepEqual([gone.status, gone.location], [400, ''])
    }
    const ready = await goOn(next, fresh.cookies)
    const code = new URL(ready.location).searchParams.get('code') ?? ''
    assert.equal((await exchange(code, verifier)).status, 200)
    const twice = await goOn(next, fresh.cookies)
    assert.deepEqual([twice.status, twice.location], [400, ''])

    const denied = await begin(member)
    const no = await decide(denied.uid, member, denied.cookies, { decision: 'deny' })
    const { location } = await goOn(String(no.body.redirect_to), denied.cookies)
    const back = new URL(location).searchParams
    assert.deepEqual([back.get('error'), back.has('code')], ['access_denied', false])
  })

  test(`a new sign-in is asked for where the application wants one, and time ends all (${engine})`, async (t) => {
    const pass = stoppedTime(t)
    const { signIn, begin, answer, allowed, together } = await setUp()
    const old = await signIn('member')
    pass({ seconds: 2 })
    const asked = await begin(old, { prompt: 'login' })
    const early = together(old, asked.cookies)
    assert.equal(await answer(asked.uid, early), '401 authentication_required')
    const young = await signIn('member')
    assert.equal(await answer(asked.uid, young.headers), '404 not_found')
    assert.deepEqual(await allowed(), [])
    assert.equal(await answer(asked.uid, together(young, asked.cookies)), '200')

    const [late, inTime] = [await begin(young), await begin(young)]
    pass({ seconds: 1_790 })
    assert.equal(await answer(inTime.uid, together(young, inTime.cookies)), '200')
    pass({ seconds: 20 })
    assert.equal(await answer(late.uid, together(young, late.cookies)), '404 not_found')
  })
}
