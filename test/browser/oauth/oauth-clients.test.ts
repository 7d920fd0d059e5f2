import assert from 'node:assert/strict'
import * as web from 'openid-client'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { answerConsent, expectHeading, submitSignInForm } from '../support/oauth/consent-page.ts'
import {
  createTokenClient,
  discoverAuthorizationServer,
  registerNativeApp,
  startAuthorization,
} from '../support/oauth/native-app.ts'
import {
  type ClientAuthMethod,
  fetchTokenOwner,
  oauthErrorCode,
  startWebApplication,
} from '../support/oauth/web-application.ts'

const callError = (work: Promise<unknown>) => work.then(() => 'done', oauthErrorCode)

/**
 * The whole life of a grant with openid-client: consent, calls, refresh, introspection, revocation.
 */
async function runWebApplication(fixture: BrowserFixture, method: ClientAuthMethod): Promise<void> {
  const { visitor, team, ask, docket, allow } = fixture
  allow(401)
  const { app, config, tokens, loginUrl } = await startWebApplication(fixture, { method })
  const page = await visitor()
  await page.goto(loginUrl({ scope: 'tasks:read comments:write' }))
  await submitSignInForm(page, team.people.member)
  await answerConsent(page, 'Allow')
  await expectHeading(page, 'Hello The member of Test')
  const [first] = tokens
  assert.ok(first?.refresh_token)
  assert.deepEqual([first.scope, first.expires_in], ['comments:write tasks:read', 3600])

  const { id } = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
    project_id: team.project,
    title: 'Talked about',
  })
  const made = await web.fetchProtectedResource(
    config,
    first.access_token,
    new URL(`/api/v1/tasks/${id}/comments`, docket.url),
    'POST',
    JSON.stringify({ body: 'From outside' }),
    new Headers({ 'content-type': 'application/json' }),
  )
  const { source, author_id } = (await made.json()) as Record<string, string>
  assert.deepEqual([made.status, source, author_id], [201, 'app', team.people.member.id])
  const taskUrl = new URL(`/api/v1/tasks/${id}`, docket.url)
  const deleted = web.fetchProtectedResource(config, first.access_token, taskUrl, 'DELETE')
  assert.match(await callError(deleted), /insufficient_scope/)

  const second = await web.refreshTokenGrant(config, first.refresh_token, { scope: 'tasks:read' })
  const { credential } = await fetchTokenOwner(config, second.access_token)
  assert.deepEqual(credential.scopes, ['tasks:read'])
  const introspection = await web.tokenIntrospection(config, second.access_token)
  const { exp, iat, ...rest } = introspection
  assert.equal(Number(exp) - Number(iat), 3600)
  assert.deepEqual(rest, {
    active: true,
    client_id: app.id,
    iss: docket.url,
    aud: docket.url,
    scope: 'tasks:read',
    sub: team.people.member.id,
    token_type: 'Bearer',
  })
  await web.tokenRevocation(config, second.refresh_token ?? '')
  assert.deepEqual(await web.tokenIntrospection(config, second.access_token), { active: false })
  assert.match(await callError(fetchTokenOwner(config, second.access_token)), /invalid_token/)
  const again = web.refreshTokenGrant(config, second.refresh_token ?? '')
  assert.equal(await callError(again), 'invalid_grant')

  // A revoked grant is asked for again.
  await page.goto(loginUrl())
  await answerConsent(page, 'Deny')
  await expectHeading(page, 'Refused: access_denied')
  assert.equal(tokens.length, 1)
  const stranger = await web.discovery(
    new URL(docket.url),
    app.id,
    {},
    web.ClientSecretBasic('dcs_wrong'),
    { algorithm: 'oauth2', execute: [web.allowInsecureRequests] },
  )
  const stolen = web.refreshTokenGrant(stranger, second.refresh_token ?? '')
  assert.equal(await callError(stolen), 'basic docket')
}

/** Denies, and sends invalid requests: the application gets each error by its OAuth name. */
async function failAuthorizations(
  fixture: BrowserFixture,
  method: ClientAuthMethod,
): Promise<void> {
  const { as, docket } = fixture
  const { tokens, loginUrl, callbacks } = await startWebApplication(fixture, { method })
  const page = await as('member')
  await page.goto(loginUrl())
  await answerConsent(page, 'Deny')
  await expectHeading(page, 'Refused: access_denied')
  const invalidRequests: [more: Record<string, string>, error: string][] = [
    [{ scope: 'moon:read' }, 'invalid_scope'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ resource: 'https://other.example' }, 'invalid_target'],
  ]
  for (const [more, error] of invalidRequests) {
    await page.goto(loginUrl(more))
    await expectHeading(page, new RegExp(`^Refused: (${error})$`))
    assert.equal(callbacks().at(-1)?.url.searchParams.get('iss'), docket.url)
  }
  assert.equal(tokens.length, 0)
}

const POSTGRES = { engine: 'postgres' } as const
browserTest('openid-client: authorization code, refresh, introspection, revocation', (fixture) =>
  runWebApplication(fixture, 'client_secret_basic'),
)
browserTest('openid-client gets authorization errors by name', (fixture) =>
  failAuthorizations(fixture, 'client_secret_basic'),
)
browserTest('openid-client with client_secret_post, on PostgreSQL', POSTGRES, async (fixture) => {
  await runWebApplication(fixture, 'client_secret_post')
  await failAuthorizations(fixture, 'client_secret_post')
})

const WITH_REGISTRATION = { env: { DOCKET_OAUTH_REGISTRATION: '1' } }
/** Registers a native application dynamically and opens a page of the guest who uses it. */
async function registerClient(fixture: BrowserFixture) {
  fixture.allow(400)
  const server = await discoverAuthorizationServer(fixture.docket.url)
  const client = await registerNativeApp(server, 'http://127.0.0.1/cb')
  const page = await fixture.as('guest')
  const open = async (url: string, decision: 'Allow' | 'Deny') => {
    await page.goto(url)
    await answerConsent(page, decision)
    await expectHeading(page, 'Back in the terminal')
  }
  return { as: server, client, page, open, ...createTokenClient(server, client) }
}

browserTest(
  'oauth4webapi: a dynamically registered client validates the reply and narrows its scopes',
  WITH_REGISTRATION,
  async (fixture) => {
    const { team } = fixture
    const { as, client, open, refresh, introspect, me } = await registerClient(fixture)
    const first = await startAuthorization(fixture, as, client, { scope: 'tasks:read tasks:write' })
    await open(first.url, 'Allow')
    const forged = [{ state: 'of somebody else' }, { code_verifier: 'v'.repeat(43) }]
    const [state, verifier] = await Promise.all(
      forged.map((one) => callError(first.exchangeCode(one))),
    )
    assert.match(state ?? '', /unexpected "state"/)
    assert.equal(verifier, 'invalid_grant')
    const tokens = await first.exchangeCode()
    const { user, credential } = await me(tokens.access_token)
    assert.equal(user.id, team.people.guest.id)
    assert.deepEqual(credential.scopes, ['tasks:read', 'tasks:write'])
    const narrow = await refresh(tokens.refresh_token, 'tasks:read')
    assert.deepEqual((await me(narrow.access_token)).credential.scopes, ['tasks:read'])
    assert.equal(await callError(refresh(narrow.refresh_token, 'tags:write')), 'invalid_scope')
    const { active, sub } = await introspect(narrow.access_token)
    assert.deepEqual([active, sub], [true, team.people.guest.id])
  },
)

browserTest(
  'oauth4webapi: revoking one authorization leaves another, a replayed code revokes its own',
  WITH_REGISTRATION,
  async (fixture) => {
    const { team } = fixture
    const { as, client, open, refresh, introspect, revoke, me } = await registerClient(fixture)
    const first = await startAuthorization(fixture, as, client)
    await open(first.url, 'Allow')
    const tokens = await first.exchangeCode()
    const newer = await refresh(tokens.refresh_token)
    // Another authorization, at another port, is another family of tokens.
    const second = await startAuthorization(fixture, as, client)
    assert.notEqual(second.redirect_uri, first.redirect_uri)
    await open(second.url, 'Allow')
    const others = await second.exchangeCode()
    await revoke(newer.access_token)
    assert.equal((await introspect(newer.access_token)).active, false)
    assert.equal(await callError(me(tokens.access_token)), 'invalid_token')
    assert.equal(await callError(refresh(newer.refresh_token)), 'invalid_grant')
    assert.equal((await me(others.access_token)).user.id, team.people.guest.id)
    // A code that is used twice revokes the tokens that it gave.
    assert.equal(await callError(second.exchangeCode()), 'invalid_grant')
    assert.equal(await callError(me(others.access_token)), 'invalid_token')
  },
)

browserTest(
  'oauth4webapi: a denial is redirected, an unregistered redirect_uri is not',
  WITH_REGISTRATION,
  async (fixture) => {
    const { docket } = fixture
    const { as, client, page, open } = await registerClient(fixture)
    const denied = await startAuthorization(fixture, as, client)
    await open(denied.url, 'Deny')
    assert.equal(await callError(denied.exchangeCode()), 'access_denied')
    const named = denied.redirect_uri.replace('127.0.0.1', 'localhost')
    for (const redirect_uri of [named, denied.redirect_uri.replace('/cb', '/cb/')]) {
      const wrong = await startAuthorization(fixture, as, client, { redirect_uri })
      await page.goto(wrong.url)
      assert.equal(new URL(page.url()).origin, docket.url)
      await expectHeading(page, /request|application/i)
    }
  },
)
