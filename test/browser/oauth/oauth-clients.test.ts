import assert from 'node:assert/strict'
import * as web from 'openid-client'
import { browserTest } from '../support/browser-test.ts'
import { answerConsent, expectHeading, submitSignInForm } from '../support/oauth/consent-page.ts'
import {
  createTokenClient,
  discoverAuthorizationServer,
  registerNativeApp,
  startAuthorization,
} from '../support/oauth/native-app.ts'
import {
  fetchTokenOwner,
  oauthErrorCode,
  startWebApplication,
} from '../support/oauth/web-application.ts'

const callError = (work: Promise<unknown>) => work.then(() => 'done', oauthErrorCode)

browserTest(
  'openid-client: consent, calls, refresh, introspection, revocation',
  async (fixture) => {
    const { visitor, team, ask, docket, allow } = fixture
    allow(401)
    const { app, config, tokens, loginUrl } = await startWebApplication(fixture)
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
  },
)

const WITH_REGISTRATION = { env: { DOCKET_OAUTH_REGISTRATION: '1' } }

browserTest(
  'oauth4webapi: a dynamically registered client validates the reply and narrows its scopes',
  WITH_REGISTRATION,
  async (fixture) => {
    const { as, docket, team } = fixture
    const server = await discoverAuthorizationServer(docket.url)
    const client = await registerNativeApp(server, 'http://127.0.0.1/cb')
    const { refresh, introspect, me } = createTokenClient(server, client)
    const page = await as('guest')
    const scope = 'tasks:read tasks:write'
    const first = await startAuthorization(fixture, server, client, { scope })
    await page.goto(first.url)
    await answerConsent(page, 'Allow')
    await expectHeading(page, 'Back in the terminal')
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
