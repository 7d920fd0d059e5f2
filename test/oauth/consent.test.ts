import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import type { Role } from '#wire/rights.ts'
import { CROSS_ORIGIN_HEADERS } from '../sessions/forged-requests.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import {
  createOAuthClient,
  createPkce,
  createTestApplication,
} from '../support/oauth/oauth-client.ts'
import { createTestSession, type TestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { mockDate, startDocketOnMockedDate } from './send-requests.ts'

const swapCase = (letter: string) =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()

const grantsOfApplication = unscopedQuery((db, $: { application_id: string }) =>
  db.selectFrom('grants').select('user_id').where('application_id', '=', $.application_id),
)

for (const engine of ENGINES) {
  const setUp = async () => {
    const docket = await startDocketOnMockedDate(engine)
    const team = await createTestWorkspace(docket.storage)
    const app = await createTestApplication(docket, team)
    const oauthClient = createOAuthClient(docket, team, app)
    const { verifier, challenge } = createPkce()
    const signIn = (role: Role, of = team) =>
      createTestSession(docket.storage, of, role, docket.config.baseUrl)
    const begin = (signedIn?: TestSession, more = {}) =>
      oauthClient.ask({ code_challenge: challenge, ...more }, signedIn)
    const allow = { decision: 'allow', workspace_id: team.workspace }
    /** Reads or decides an interaction, and returns the outcome. */
    const callInteraction = async (
      uid: string,
      headers: Record<string, string>,
      payload: object | string | undefined = allow,
      method: 'GET' | 'POST' = 'POST',
    ) => {
      const url = `/internal/oauth/interactions/${uid}`
      const interaction = {
        method,
        url,
        headers: { 'content-type': 'application/json', ...headers },
      }
      const sent = method === 'POST' ? { payload } : {}
      const reply = await docket.server.inject({ ...interaction, ...sent })
      const body = reply.json()
      return reply.statusCode === 200 ? '200' : `${reply.statusCode} ${body.error.code}`
    }
    const listAllowedUsers = async () => {
      const grants = await docket.storage.read(ANONYMOUS_ACTOR, (tx) =>
        tx.all(grantsOfApplication, { application_id: app.id }),
      )
      return grants.map(({ user_id }) => user_id)
    }
    const withInteractionCookies = (who: TestSession, cookies: string) => ({
      ...who.headers,
      cookie: `${who.headers.cookie}; ${cookies}`,
    })
    return {
      docket,
      team,
      app,
      ...oauthClient,
      verifier,
      signIn,
      begin,
      callInteraction,
      allow,
      listAllowedUsers,
      withInteractionCookies,
    }
  }

  test(`a consent request belongs to the browser and session in which it began (${engine})`, async () => {
    const { team, signIn, begin, callInteraction, listAllowedUsers, withInteractionCookies } =
      await setUp()
    const [member, again, thief] = [
      await signIn('member'),
      await signIn('member'),
      await signIn('admin'),
    ]
    const interaction = await begin(member)
    const other = await begin(member)
    for (const [headers, end] of [
      [withInteractionCookies(again, interaction.cookies), '404 not_found'],
      [withInteractionCookies(thief, interaction.cookies), '404 not_found'],
      [member.headers, '404 not_found'],
      [withInteractionCookies(member, other.cookies), '404 not_found'],
      [
        withInteractionCookies(member, interaction.cookies.replaceAll(interaction.uid, 'x')),
        '404 not_found',
      ],
      [
        { origin: member.headers.origin, cookie: interaction.cookies },
        '401 authentication_required',
      ],
      [
        {
          ...withInteractionCookies(member, interaction.cookies),
          authorization: `Bearer ${team.keys.member}`,
        },
        '403 session_required',
      ],
    ] as const) {
      for (const method of ['GET', 'POST'] as const) {
        assert.equal(await callInteraction(interaction.uid, headers, undefined, method), end)
      }
    }
    for (const uid of [
      'x',
      '%00',
      'x'.repeat(64),
      `${interaction.uid}x`,
      interaction.uid.replace(/[a-z]/gi, swapCase),
    ]) {
      assert.equal(
        await callInteraction(uid, withInteractionCookies(member, interaction.cookies)),
        '404 not_found',
      )
    }
    assert.deepEqual(await listAllowedUsers(), [])
    assert.equal(
      await callInteraction(interaction.uid, withInteractionCookies(member, interaction.cookies)),
      '200',
    )
    assert.deepEqual(await listAllowedUsers(), [team.people.member])

    // One that began without a session belongs to the first session that opens it in that browser.
    const free = await begin()
    assert.equal(await callInteraction(free.uid, thief.headers, undefined, 'GET'), '404 not_found')
    assert.equal(
      await callInteraction(
        free.uid,
        withInteractionCookies(again, free.cookies),
        undefined,
        'GET',
      ),
      '200',
    )
    assert.equal(
      await callInteraction(free.uid, withInteractionCookies(thief, free.cookies)),
      '404 not_found',
    )
    assert.equal(
      await callInteraction(free.uid, withInteractionCookies(again, free.cookies)),
      '200',
    )
  })

  test(`a consent request is decided once, and never from another origin (${engine})`, async () => {
    const {
      team,
      signIn,
      begin,
      callInteraction,
      allow,
      listAllowedUsers,
      withInteractionCookies,
    } = await setUp()
    const member = await signIn('member')
    const interaction = await begin(member)
    const headers = withInteractionCookies(member, interaction.cookies)
    for (const foreign of CROSS_ORIGIN_HEADERS) {
      const { cookie } = headers
      assert.equal(
        await callInteraction(interaction.uid, { cookie, ...foreign }),
        '403 csrf_rejected',
      )
    }
    const strangers = await createTestWorkspace((await setUp()).docket.storage)
    for (const body of [
      { decision: 'allow' },
      { ...allow, workspace_id: strangers.workspace },
      { ...allow, workspace_id: 'wsp_00000000000000000000000000' },
      { ...allow, workspace_id: '\u0000' },
      { ...allow, workspace_id: null },
      { ...allow, decision: 'ALLOW' },
      { ...allow, scopes: ['tasks:delete'] },
      { workspace_id: team.workspace },
    ]) {
      assert.equal(await callInteraction(interaction.uid, headers, body), '422 validation_failed')
    }
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    const written = `decision=allow&workspace_id=${team.workspace}`
    assert.equal(
      await callInteraction(interaction.uid, form, written),
      '415 unsupported_media_type',
    )
    assert.deepEqual(await listAllowedUsers(), [])

    const all = Array.from({ length: 20 }, (_, at) =>
      callInteraction(interaction.uid, headers, at % 2 ? allow : { decision: 'deny' }),
    )
    const ends = await Promise.all(all)
    assert.deepEqual(new Set(ends), new Set(['200', '404 not_found']))
    assert.equal(ends.filter((end) => end === '200').length, 1)
    const before = await listAllowedUsers()
    assert.ok(before.length <= 1)
    for (const body of [allow, { decision: 'deny' }]) {
      assert.equal(await callInteraction(interaction.uid, headers, body), '404 not_found')
    }
    assert.deepEqual(await listAllowedUsers(), before)
  })

  test(`consent is possible only for a workspace that may use the application (${engine})`, async () => {
    const {
      docket,
      team,
      signIn,
      begin,
      callInteraction,
      allow,
      listAllowedUsers,
      withInteractionCookies,
    } = await setUp()
    const otherHome = await createTestWorkspace(docket.storage)
    const stranger = await signIn('member', otherHome)
    const interaction = await begin(stranger)
    const headers = withInteractionCookies(stranger, interaction.cookies)
    for (const { workspace } of [otherHome, team]) {
      const body = { ...allow, workspace_id: workspace }
      assert.equal(await callInteraction(interaction.uid, headers, body), '422 validation_failed')
    }
    assert.deepEqual(await listAllowedUsers(), [])
    assert.equal(await callInteraction(interaction.uid, headers, { decision: 'deny' }), '200')
    const open = await createTestApplication(docket, team, { distribution: 'public' })
    const { ask } = createOAuthClient(docket, otherHome, open)
    const again = await ask({ code_challenge: createPkce().challenge }, stranger)
    const body = { ...allow, workspace_id: otherHome.workspace }
    assert.equal(
      await callInteraction(again.uid, withInteractionCookies(stranger, again.cookies), body),
      '200',
    )
  })

  test(`gives no code without consent, or in another browser (${engine})`, async () => {
    const { signIn, begin, decide, goOn, exchange, verifier } = await setUp()
    const member = await signIn('member')
    const interaction = await begin(member)
    const path = `http://x/oauth/authorize/${interaction.uid}`
    // Before the decision there is no code yet.
    const early = await goOn(path, interaction.cookies)
    assert.doesNotMatch(early.location, /code=/)
    const fresh = await begin(member)
    const { body } = await decide(fresh.uid, member, fresh.cookies)
    const next = String(body.redirect_to)
    const other = await begin(await signIn('admin'))
    const forged = fresh.cookies.replace(/(docket_oauth_resume=[^;]*)/, '$1x')
    const spoiled = fresh.cookies.replace(/(docket_oauth_resume\.sig=)[^;]*/, '$1x')
    const planted = (fresh.cookies.match(/docket_oauth_resume[^;]*/g) ?? []).join('; ')
    // Another person with an open request of their own is sent to that one.
    const led = await goOn(next, other.cookies)
    assert.doesNotMatch(led.location, /code=|app\.example/)
    for (const cookies of ['', forged, spoiled, planted]) {
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

  test(`prompt=login requires a new sign-in, and consent requests expire (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const { signIn, begin, callInteraction, listAllowedUsers, withInteractionCookies } =
      await setUp()
    const old = await signIn('member')
    passTime({ seconds: 2 })
    const interaction = await begin(old, { prompt: 'login' })
    const early = withInteractionCookies(old, interaction.cookies)
    assert.equal(await callInteraction(interaction.uid, early), '401 authentication_required')
    const young = await signIn('member')
    assert.equal(await callInteraction(interaction.uid, young.headers), '404 not_found')
    assert.deepEqual(await listAllowedUsers(), [])
    assert.equal(
      await callInteraction(interaction.uid, withInteractionCookies(young, interaction.cookies)),
      '200',
    )

    const [expired, inTime] = [await begin(young), await begin(young)]
    passTime({ seconds: 1_790 })
    const inTimeHeaders = withInteractionCookies(young, inTime.cookies)
    assert.equal(await callInteraction(inTime.uid, inTimeHeaders, { decision: 'deny' }), '200')
    passTime({ seconds: 20 })
    assert.equal(
      await callInteraction(expired.uid, withInteractionCookies(young, expired.cookies)),
      '404 not_found',
    )
  })
}
