import assert from 'node:assert/strict'
import type { Page, Response } from '@playwright/test'
import * as web from 'openid-client'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { startForeignSite } from '../support/oauth/foreign-site.ts'
import {
  fetchTokenOwner,
  oauthErrorCode,
  startWebApplication,
} from '../support/oauth/web-application.ts'
import type { TeamMember } from '../support/team.ts'

/** Submits the sign-in form to which an authorization request was redirected. */
async function submitSignInForm(page: Page, { email, password }: TeamMember): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Answers the consent screen. */
const answerConsent = (page: Page, name: 'Allow' | 'Deny'): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** Waits until the main heading of the page has this text. */
const expectHeading = (page: Page, text: string | RegExp): Promise<void> =>
  expect(page.getByRole('heading', { level: 1 })).toHaveText(text)

/** Waits for the consent screen and returns the id of its authorization request. */
async function waitForConsent(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Deny', exact: true }).waitFor()
  return new URL(page.url()).pathname.split('/').at(-1) ?? ''
}

const callError = (work: Promise<unknown>) => work.then(() => 'done', oauthErrorCode)

browserTest('openid-client: consent, calls, refresh, revocation', async (fixture) => {
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
})

const containsSecret = (referer: string): boolean => /\/oauth\/|code=|state=/.test(referer)
const refererOf = async (reply: Response) => (await reply.request().allHeaders()).referer ?? ''

/** The headers of a document that protect its address and prevent framing. */
async function protectiveHeaders(reply: Response): Promise<string> {
  const headers = await reply.allHeaders()
  const [framing = ''] =
    /frame-ancestors [^;]+/.exec(headers['content-security-policy'] ?? '') ?? []
  return `${reply.status()} ${headers['referrer-policy']} ${headers['cache-control']} ${framing}`
}

browserTest('leaks no code by Referer, and redirects to no foreign address', async (fixture) => {
  const { visitor, team, docket, allow } = fixture
  allow(400, 401)
  const evil = await startForeignSite(fixture)
  const homepage_url = `${evil.origin}/about`
  const { origin, loginUrl, callbacks } = await startWebApplication(fixture, { homepage_url })
  const page = await visitor()
  const replies: Response[] = []
  page.context().on('response', (reply) => replies.push(reply))
  await page.goto(loginUrl())
  await submitSignInForm(page, team.people.member)
  const uid = await waitForConsent(page)
  const [about] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: new URL(homepage_url).host }).click(),
  ])
  await expectHeading(about, 'Elsewhere /about')
  assert.equal(await about.evaluate(() => window.opener), null)
  await page.goto(`/oauth/consent/${uid}?redirect_to=${evil.origin}&redirect_uri=${evil.origin}`)
  await waitForConsent(page)
  await answerConsent(page, 'Allow')
  await expectHeading(page, 'Hello The member of Test')
  assert.deepEqual([callbacks()[0]?.referer, evil.requests[0]?.referer], [undefined, undefined])
  const documents = replies.filter((reply) => reply.request().resourceType() === 'document')
  const oauthDocuments = documents.filter((reply) =>
    new URL(reply.url()).pathname.startsWith('/oauth/'),
  )
  assert.deepEqual(
    [...new Set(await Promise.all(oauthDocuments.map(protectiveHeaders)))].toSorted(),
    ["200 no-referrer no-cache frame-ancestors 'none'", '303 no-referrer no-store '],
  )
  const asked = replies.filter((reply) => /document|fetch/.test(reply.request().resourceType()))
  assert.deepEqual((await Promise.all(asked.map(refererOf))).filter(containsSecret), [])
  // Control: without a Referrer-Policy browsers do send the address.
  const [after] = await Promise.all([
    page.waitForResponse(`${origin}/login`),
    page.evaluate(() => location.assign('/login')),
  ])
  assert.ok(containsSecret(await refererOf(after)))
  await waitForConsent(page)

  // Errors are redirected to a registered address of the application, or shown by Docket.
  const evilCallback = `${evil.origin}/cb`
  const invalidRequests = [{}, { scope: 'moon:read' }, { prompt: 'none' }, { client_id: 'app_x' }]
  for (const wrong of invalidRequests) {
    await page.goto(loginUrl({ redirect_uri: evilCallback, ...wrong }))
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(new URL(page.url()).origin, docket.url)
    await expect(page.getByText(evil.origin)).toHaveCount(0)
  }
  await page.goto(`/oauth/authorize/${uid}?redirect_uri=${evilCallback}`)
  assert.equal(new URL(page.url()).origin, docket.url)
  await page.goto(loginUrl({ scope: 'moon:read' }))
  await expectHeading(page, 'Refused: invalid_scope')
  assert.equal(page.url().startsWith(`${origin}/cb?`), true)
  assert.deepEqual(
    evil.requests.map(({ url }) => url.pathname),
    ['/about'],
  )
})
