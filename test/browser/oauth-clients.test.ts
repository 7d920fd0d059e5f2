import assert from 'node:assert/strict'
import * as web from 'openid-client'
import { browse, type Scene } from './support/browse.ts'
import { answer, fillIn, isTold } from './support/consent.ts'
import { begun, callsOf, discovered, registered } from './support/native-application.ts'
import { errorOf, type Method, meOf, webApplication } from './support/web-application.ts'

const refusalOf = (work: Promise<unknown>) => work.then(() => 'done', errorOf)

/** From the consent to the end of its tokens, as openid-client does it. */
async function runWebApplication(scene: Scene, method: Method): Promise<void> {
  const { visitor, team, ask, docket, allow } = scene
  allow(401)
  const { app, config, tokens, login } = await webApplication(scene, { method })
  const page = await visitor()
  await page.goto(login({ scope: 'tasks:read comments:write' }))
  await fillIn(page, team.people.member)
  await answer(page, 'Allow')
  await isTold(page, 'Hello The member of Test')
  const [first] = tokens
  assert.ok(first?.refresh_token)
  assert.deepEqual([first.scope, first.expires_in], ['comments:write tasks:read', 3600])

  const { id } = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
    ...{ project_id: team.project, title: 'Talked about' },
  })
  const made = await web.fetchProtectedResource(
    ...([config, first.access_token, new URL(`/api/v1/tasks/${id}/comments`, docket.url)] as const),
    ...(['POST', JSON.stringify({ body: 'From outside' })] as const),
    new Headers({ 'content-type': 'application/json' }),
  )
  const { source, author_id } = (await made.json()) as Record<string, string>
  assert.deepEqual([made.status, source, author_id], [201, 'app', team.people.member.id])
  const above = new URL(`/api/v1/tasks/${id}`, docket.url)
  const deleted = web.fetchProtectedResource(config, first.access_token, above, 'DELETE')
  assert.match(await refusalOf(deleted), /insufficient_scope/)

  const second = await web.refreshTokenGrant(config, first.refresh_token, { scope: 'tasks:read' })
  const { credential } = await meOf(config, second.access_token)
  assert.deepEqual(credential.scopes, ['tasks:read'])
  const told = await web.tokenIntrospection(config, second.access_token)
  const { exp, iat, ...rest } = told
  assert.equal(Number(exp) - Number(iat), 3600)
  assert.deepEqual(rest, {
    ...{ active: true, client_id: app.id, iss: docket.url, aud: docket.url, scope: 'tasks:read' },
    ...{ sub: team.people.member.id, token_type: 'Bearer' },
  })
  await web.tokenRevocation(config, second.refresh_token ?? '')
  assert.deepEqual(await web.tokenIntrospection(config, second.access_token), { active: false })
  assert.match(await refusalOf(meOf(config, second.access_token)), /invalid_token/)
  const again = web.refreshTokenGrant(config, second.refresh_token ?? '')
  assert.equal(await refusalOf(again), 'invalid_grant')

  // What is allowed once is asked again.
  await page.goto(login())
  await answer(page, 'Deny')
  await isTold(page, 'Refused: access_denied')
  assert.equal(tokens.length, 1)
  const stranger = await web.discovery(
    ...([new URL(docket.url), app.id, {}, web.ClientSecretBasic('dcs_wrong')] as const),
    { algorithm: 'oauth2', execute: [web.allowInsecureRequests] },
  )
  const stolen = web.refreshTokenGrant(stranger, second.refresh_token ?? '')
  assert.equal(await refusalOf(stolen), 'basic docket')
}

/** Denies, and asks for what is not given: each comes back to the application as an error by name. */
async function failAuthorizations(scene: Scene, method: Method): Promise<void> {
  const { as, docket } = scene
  const { tokens, login, backs } = await webApplication(scene, { method })
  const page = await as('member')
  await page.goto(login())
  await answer(page, 'Deny')
  await isTold(page, 'Refused: access_denied')
  const wrongs: [more: Record<string, string>, error: string][] = [
    [{ scope: 'moon:read' }, 'invalid_scope'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ resource: 'https://other.example' }, 'invalid_target'],
    [{ prompt: 'none' }, 'login_required|consent_required'],
  ]
  for (const [more, error] of wrongs) {
    await page.goto(login(more))
    await isTold(page, new RegExp(`^Refused: (${error})$`))
    assert.equal(backs().at(-1)?.url.searchParams.get('iss'), docket.url)
  }
  assert.equal(tokens.length, 0)
}

const POSTGRES = { engine: 'postgres' } as const
browse('openid-client: authorization code, refresh, introspection, revocation', (scene) =>
  runWebApplication(scene, 'client_secret_basic'),
)
browse('openid-client gets authorization errors by name', (scene) =>
  failAuthorizations(scene, 'client_secret_basic'),
)
browse('openid-client with client_secret_post, on PostgreSQL', POSTGRES, async (scene) => {
  await runWebApplication(scene, 'client_secret_post')
  await failAuthorizations(scene, 'client_secret_post')
})

const WITH_REGISTRATION = { env: { DOCKET_OAUTH_REGISTRATION: '1' } }
/** A program that has registered itself, and the browser of the guest who uses it. */
async function openProgram(scene: Scene) {
  scene.allow(400)
  const server = await discovered(scene.docket.url)
  const client = await registered(server, 'http://127.0.0.1/cb')
  const page = await scene.as('guest')
  const open = async (url: string, decision: 'Allow' | 'Deny') => {
    await page.goto(url)
    await answer(page, decision)
    await isTold(page, 'Back in the terminal')
  }
  return { as: server, client, page, open, ...callsOf(server, client) }
}

browse(
  'oauth4webapi: a registered program validates the reply and narrows its scopes',
  WITH_REGISTRATION,
  async (scene) => {
    const { team } = scene
    const { as, client, open, refresh, look, me } = await openProgram(scene)
    const first = await begun(scene, as, client, { scope: 'tasks:read tasks:write' })
    await open(first.url, 'Allow')
    const forged = [{ state: 'of somebody else' }, { code_verifier: 'v'.repeat(43) }]
    const [state, verifier] = await Promise.all(forged.map((one) => refusalOf(first.finish(one))))
    assert.match(state ?? '', /unexpected "state"/)
    assert.equal(verifier, 'invalid_grant')
    const tokens = await first.finish()
    const { user, credential } = await me(tokens.access_token)
    assert.equal(user.id, team.people.guest.id)
    assert.deepEqual(credential.scopes, ['tasks:read', 'tasks:write'])
    const narrow = await refresh(tokens.refresh_token, 'tasks:read')
    assert.deepEqual((await me(narrow.access_token)).credential.scopes, ['tasks:read'])
    assert.equal(await refusalOf(refresh(narrow.refresh_token, 'tags:write')), 'invalid_scope')
    const { active, sub } = await look(narrow.access_token)
    assert.deepEqual([active, sub], [true, team.people.guest.id])
  },
)

browse(
  'oauth4webapi: revoking one authorization leaves another, a replayed code ends its own',
  WITH_REGISTRATION,
  async (scene) => {
    const { team } = scene
    const { as, client, open, refresh, look, revoke, me } = await openProgram(scene)
    const first = await begun(scene, as, client)
    await open(first.url, 'Allow')
    const tokens = await first.finish()
    const newer = await refresh(tokens.refresh_token)
    // Another authorization, at another port, is another family.
    const second = await begun(scene, as, client)
    assert.notEqual(second.redirect_uri, first.redirect_uri)
    await open(second.url, 'Allow')
    const others = await second.finish()
    await revoke(newer.access_token)
    assert.equal((await look(newer.access_token)).active, false)
    assert.equal(await refusalOf(me(tokens.access_token)), 'invalid_token')
    assert.equal(await refusalOf(refresh(newer.refresh_token)), 'invalid_grant')
    assert.equal((await me(others.access_token)).user.id, team.people.guest.id)
    // A code that comes twice ends what it gave.
    assert.equal(await refusalOf(second.finish()), 'invalid_grant')
    assert.equal(await refusalOf(me(others.access_token)), 'invalid_token')
  },
)

browse(
  'oauth4webapi: a denial comes back, another redirect_uri does not',
  WITH_REGISTRATION,
  async (scene) => {
    const { docket } = scene
    const { as, client, page, open } = await openProgram(scene)
    const denied = await begun(scene, as, client)
    await open(denied.url, 'Deny')
    assert.equal(await refusalOf(denied.finish()), 'access_denied')
    const named = denied.redirect_uri.replace('127.0.0.1', 'localhost')
    for (const redirect_uri of [named, denied.redirect_uri.replace('/cb', '/cb/')]) {
      const wrong = await begun(scene, as, client, { redirect_uri })
      await page.goto(wrong.url)
      assert.equal(new URL(page.url()).origin, docket.url)
      await isTold(page, /request|application/i)
    }
  },
)
