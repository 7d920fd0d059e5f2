import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { registerOAuthApplication } from '#auth/oauth/applications.ts'
import { hashOAuthValue, oauthRecordByHash } from '#auth/oauth/oauth-records.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { purgeExpiredRows } from '#jobs/purges.ts'
import { addMember, removeMember } from '#resources/members/membership.ts'
import { UNUSED_CODE_CHALLENGE } from '#test/oauth/send-requests.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '#test/support/oauth/oauth-client.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { SCOPES } from '#wire/scopes.ts'

for (const engine of ENGINES) {
  test(`a code and its tokens work while stored times are ahead of a clock that was set back (${engine})`, async () => {
    const clock = createTestClock()
    // In a database of its own: by this clock, what other tests have been granted has expired.
    const docket = await openFreshDocket(engine, {}, { clock })
    const team = await createTestWorkspace(docket.storage)
    clock.advance(60 * 60 * 1000)
    const app = await createTestApplication(docket, team)
    const { codeFor, exchange, me } = createOAuthClient(docket, team, app)
    const { code, verifier } = await codeFor('member', { scope: 'tasks:read' })
    const tokens = await exchange(code, verifier)
    assert.equal(tokens.status, 200, tokens.text)
    await purgeExpiredRows(docket.storage)()
    assert.equal((await me(String(tokens.body.access_token))).status, 200)
  })

  test(`authorization code flow: an application acts within its granted scopes (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const team = await createTestWorkspace(docket.storage)
    const app = await createTestApplication(docket, team)
    const { codeFor, exchange, refresh, me, post } = createOAuthClient(docket, team, app)
    // With a trailing slash, as URL libraries serialize an origin.
    const resource = `${docket.config.baseUrl}/`
    const { code, verifier, back } = await codeFor('member', {
      scope: 'tasks:read tags:write x:y',
      resource,
    })
    assert.equal(back.get('state'), 'a state')
    assert.equal(back.get('iss'), docket.config.baseUrl)
    const first = await exchange(code, verifier, { resource })
    assert.equal(first.status, 200, first.text)
    assert.equal(first.headers['cache-control'], 'no-store')
    const { access_token, refresh_token, ...rest } = first.body
    assert.deepEqual(rest, {
      expires_in: 3600,
      scope: 'tags:write tasks:read',
      token_type: 'Bearer',
    })
    assert.match(String(access_token), /^dat_[0-9A-Za-z]{38}$/)
    assert.match(String(refresh_token), /^drt_[0-9A-Za-z]{38}$/)

    const profile = await me(String(access_token))
    assert.equal(profile.status, 200, JSON.stringify(profile.body))
    assert.equal(profile.body.user.id, team.people.member)
    const { expires_at, ...credential } = profile.body.credential
    assert.deepEqual(credential, {
      type: 'oauth',
      id: app.id,
      name: 'App',
      scopes: ['tags:write', 'tasks:read'],
    })

    const second = await refresh(String(refresh_token), { resource })
    assert.equal(second.status, 200, second.text)
    assert.equal((await me(String(second.body.access_token))).status, 200)

    const introspection = await post('/oauth/introspect', {
      token: String(second.body.access_token),
    })
    assert.equal(introspection.body.active, true, introspection.text)
    const revoked = await post('/oauth/revoke', { token: String(second.body.refresh_token) })
    assert.deepEqual([revoked.status, revoked.text], [200, ''])
    assert.equal((await me(String(access_token))).status, 401)
    assert.equal((await refresh(String(second.body.refresh_token))).status, 400)
  })
}

for (const engine of ENGINES) {
  test(`a narrowed application loses the removed scopes in existing and refreshed tokens (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const team = await createTestWorkspace(docket.storage)
    const app = await createTestApplication(docket, team, { scopes: ['tasks:read', 'tags:read'] })
    const { tokensFor, refresh, me, post } = createOAuthClient(docket, team, app)
    const first = await tokensFor('member', { scope: 'tasks:read tags:read' })
    assert.equal(first.scope, 'tags:read tasks:read')
    const { headers } = await createTestSession(
      docket.storage,
      team,
      'owner',
      docket.config.baseUrl,
    )
    const narrowed = await docket.server.inject({
      method: 'PATCH',
      url: `/internal/apps/${app.id}`,
      headers,
      payload: { scopes: ['tags:read'] },
    })
    assert.equal(narrowed.statusCode, 200, narrowed.body)
    assert.deepEqual((await me(first.access_token)).body.credential.scopes, ['tags:read'])
    const introspection = await post('/oauth/introspect', { token: first.access_token })
    assert.equal(introspection.body.scope, 'tags:read', introspection.text)
    const second = await refresh(first.refresh_token)
    assert.deepEqual([second.status, second.body.scope], [200, 'tags:read'], second.text)
  })
}

for (const engine of ENGINES) {
  test(`prompt=none returns only to an application that the person has approved (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const team = await createTestWorkspace(docket.storage)
    const app = await createTestApplication(docket, team)
    const client = createOAuthClient(docket, team, app)
    const request = { prompt: 'none', code_challenge: UNUSED_CODE_CHALLENGE }
    const signIn = (role: 'member' | 'guest') =>
      createTestSession(docket.storage, team, role, docket.config.baseUrl)
    const assertPage = async (who: 'member' | 'guest' | undefined) => {
      const reply = await client.ask(request, who && (await signIn(who)))
      assert.deepEqual([reply.status, reply.location], [400, ''], reply.text)
      assert.match(reply.text, /you have not authorized the application/)
    }
    for (const who of [undefined, 'member', 'guest'] as const) await assertPage(who)

    const { access_token } = await client.tokensFor('member')
    const reply = await client.ask(request, await signIn('member'))
    assert.equal(reply.status, 303, reply.text)
    const back = new URL(reply.location)
    assert.equal(back.origin + back.pathname, app.redirect_uri)
    assert.match(back.searchParams.get('error') ?? '', /^(login|consent)_required$/)
    assert.equal(back.searchParams.get('state'), 'a state')
    for (const who of [undefined, 'guest'] as const) await assertPage(who)

    await client.post('/oauth/revoke', { token: access_token })
    await assertPage('member')
  })
}

for (const engine of ENGINES) {
  test(`an application of strangers gets no error from who has not approved it (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const team = await createTestWorkspace(docket.storage)
    const redirect_uri = 'https://evil.example/cb'
    const stranger = await createTestWorkspace(docket.storage)
    const selfRegistered = await docket.storage.write(ANONYMOUS_ACTOR, (tx) =>
      registerOAuthApplication(tx, {
        name: 'Tool',
        homepage_url: null,
        redirect_uris: [redirect_uri],
        scopes: SCOPES,
      }),
    )
    // Who has left the workspace that registered the application is a stranger, too.
    await docket.storage.write(
      { ...ANONYMOUS_ACTOR, workspace_id: stranger.workspace },
      async (tx) => {
        await addMember(tx, { user_id: team.people.member, name: 'Gone', role: 'member' })
        await removeMember(tx, team.people.member)
      },
    )
    const byWorkspace = await createTestApplication(docket, stranger, {
      distribution: 'public',
      redirect_uris: [redirect_uri],
    })
    const faults = {
      invalid_scope: { scope: 'x:y', code_challenge: UNUSED_CODE_CHALLENGE },
      invalid_request: { code_challenge: undefined },
      unsupported_response_type: {
        response_type: 'token',
        code_challenge: UNUSED_CODE_CHALLENGE,
      },
    }
    for (const { id, secret } of [{ ...selfRegistered, secret: undefined }, byWorkspace]) {
      const client = createOAuthClient(docket, team, { id, secret, redirect_uri })
      const member = await createTestSession(docket.storage, team, 'member', docket.config.baseUrl)
      const assertPages = async (who?: typeof member) => {
        for (const fault of Object.values(faults)) {
          const reply = await client.ask(fault, who)
          assert.deepEqual([reply.status, reply.location], [400, ''], reply.text)
        }
      }
      const assertRedirects = async (who: typeof member) => {
        for (const [error, fault] of Object.entries(faults)) {
          const reply = await client.ask(fault, who)
          assert.equal(reply.status, 303, reply.text)
          assert.ok(reply.location.startsWith(`${redirect_uri}?`), reply.location)
          assert.equal(new URL(reply.location).searchParams.get('error'), error)
        }
      }
      await assertPages()
      await assertPages(member)
      assert.match((await client.ask(faults.invalid_scope)).text, /no scope is known/)
      const without = { scope: undefined, code_challenge: UNUSED_CODE_CHALLENGE }
      assert.match((await client.ask(without)).text, /scope.* is required/)
      await client.tokensFor('member')
      await assertRedirects(member)
      const scopeless = await client.ask(without, member)
      assert.equal(new URL(scopeless.location).searchParams.get('error'), 'invalid_scope')
      await assertPages()
      // Who is in the workspace that registered the application knows it.
      const own = await createTestSession(docket.storage, stranger, 'guest', docket.config.baseUrl)
      await (id === byWorkspace.id ? assertRedirects(own) : assertPages(own))
    }
  })
}

test('an authorization request stores little, and a state that is too long is refused', async () => {
  const docket = await openTestDocket('sqlite')
  const team = await createTestWorkspace(docket.storage)
  const redirect_uri = `https://app.example/${'a'.repeat(850)}`
  const app = await createTestApplication(docket, team, { redirect_uris: [redirect_uri] })
  const { ask } = createOAuthClient(docket, team, app)
  const code_challenge = UNUSED_CODE_CHALLENGE
  const storedBytesOf = async (params: Record<string, string>) => {
    const asked = await ask({ code_challenge, ...params })
    assert.equal(asked.status, 303, asked.location)
    const hash = hashOAuthValue(asked.uid)
    const record = await docket.storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.one(oauthRecordByHash, { kind: 'Interaction', hash }),
    )
    return Buffer.byteLength(record?.payload ?? assert.fail())
  }
  const bytes = await storedBytesOf({
    state: 's'.repeat(2_048),
    scope: 'tasks:read '.repeat(180).trim(),
    prompt: `consent${' consent'.repeat(200)}`,
    login_hint: 'h'.repeat(1_000),
  })
  assert.ok(bytes < 4_000, `${bytes} bytes`)
  // A URL of nearly 8 KiB. JSON has six bytes for each control character, a URL three.
  const mostBytes = await storedBytesOf({
    state: '\u0001'.repeat(2_048),
    login_hint: '\u0001'.repeat(254),
  })
  assert.ok(mostBytes < 20_000, `${mostBytes} bytes`)
  const member = await createTestSession(docket.storage, team, 'member', docket.config.baseUrl)
  const refused = await ask({ code_challenge, state: 's'.repeat(2_049) }, member)
  const back = new URL(refused.location)
  assert.equal(back.origin + back.pathname, app.redirect_uri)
  assert.equal(back.searchParams.get('error'), 'invalid_request')
})

test('an address makes few authorization requests without a session in half an hour', async () => {
  const clock = createTestClock()
  const docket = await openTestDocket('sqlite', {}, { clock, unauthenticatedLimit: 1 })
  const team = await createTestWorkspace(docket.storage)
  const app = await createTestApplication(docket, team)
  const { ask } = createOAuthClient(docket, team, app)
  const request = { code_challenge: UNUSED_CODE_CHALLENGE }
  // A multiple of half an hour, at which a window begins.
  clock.set(Math.ceil(clock.now() / 1_800_000) * 1_800_000)
  for (let asked = 0; asked < 10; asked += 1) assert.equal((await ask(request)).status, 303)
  clock.advance(60_000)
  const refused = await ask(request)
  assert.equal(refused.status, 429)
  assert.match(refused.text, /too_many_unauthenticated_requests.*Retry in 1740 seconds/)
  const member = await createTestSession(docket.storage, team, 'member', docket.config.baseUrl)
  assert.equal((await ask(request, member)).status, 303)
  clock.advance(29 * 60_000)
  assert.equal((await ask(request)).status, 303)
})

test('fetches no URL that an application names', async (t) => {
  const fetched: (string | undefined)[] = []
  const site = createServer(({ url }, response) => {
    fetched.push(url)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  t.after(() => site.close())
  await once(site, 'listening')
  const address = site.address()
  assert.ok(typeof address === 'object' && address)
  const urlOf = (name: string) => `http://127.0.0.1:${address.port}/${name}`
  const docket = await openTestDocket('sqlite', { DOCKET_OAUTH_REGISTRATION: '1' })
  const redirect_uri = 'http://127.0.0.1/cb'
  const names = [
    'client_uri',
    'logo_uri',
    'policy_uri',
    'tos_uri',
    'jwks_uri',
    'initiate_login_uri',
  ]
  const urls = Object.fromEntries(names.map((name) => [name, urlOf(name)]))
  const registered = await docket.server.inject({
    method: 'POST',
    url: '/oauth/register',
    payload: {
      ...urls,
      redirect_uris: [redirect_uri],
      client_name: 'Tool',
      sector_identifier_uri: urlOf('sector_identifier_uri'),
      request_uris: [urlOf('request_uri')],
      token_endpoint_auth_method: 'private_key_jwt',
    },
  })
  assert.equal(registered.statusCode, 201, registered.body)
  const app = { id: registered.json().client_id, secret: undefined, redirect_uri }
  const client = createOAuthClient(docket, await createTestWorkspace(docket.storage), app)
  await client.tokensFor('member', { request_uri: urlOf('request_uri') })
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', jku: urlOf('jku'), x5u: urlOf('x5u') }))
  const claims = Buffer.from(JSON.stringify({ iss: app.id, sub: app.id, exp: 4_000_000_000 }))
  const refused = await client.refresh('drt_x', {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: `${header.toString('base64url')}.${claims.toString('base64url')}.AAAA`,
  })
  assert.ok(refused.status === 400 || refused.status === 401, refused.text)
  assert.deepEqual(fetched, [])
})
