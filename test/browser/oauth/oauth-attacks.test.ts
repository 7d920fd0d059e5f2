import assert from 'node:assert/strict'
import type { Page, Response } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import {
  answerConsent,
  expectHeading,
  listGrantedApps,
  postConsentDecision,
  submitSignInForm,
  waitForConsent,
} from '../support/oauth/consent-page.ts'
import { startForeignSite } from '../support/oauth/foreign-site.ts'
import { startWebApplication } from '../support/oauth/web-application.ts'
import { routeRequests } from '../support/route-requests.ts'
import { createSessionCookie } from '../support/team.ts'

/** Allows the request, but holds the redirect back and returns its address. */
async function allowAndHoldRedirect(page: Page): Promise<string> {
  const redirect = '**/oauth/authorize/*'
  await routeRequests(page, redirect, (route) => route.fulfill({ status: 204 }))
  const [held] = await Promise.all([page.waitForResponse(redirect), answerConsent(page, 'Allow')])
  await page.unroute(redirect)
  return held.url()
}

/** The address that this one redirects to, with the cookies of the page. */
async function redirectTarget(page: Page, url: string): Promise<URL> {
  const reply = await page.request.get(url, { maxRedirects: 0 })
  return new URL(reply.headers().location ?? '', url)
}

browserTest(
  'an authorization request is bound to the browser that began it (session fixation)',
  async (fixture) => {
    const { as, visitor, team, allow } = fixture
    allow(400, 401, 404)
    const { tokens, loginUrl, callbacks } = await startWebApplication(fixture)
    const [attacker, victim] = [await as('guest'), await as('owner')]
    const allowing = { decision: 'allow', workspace_id: team.workspace }

    // By a shared address, begun while signed in and while signed out.
    await attacker.goto(loginUrl())
    const uid = await waitForConsent(attacker)
    const nobody = await visitor()
    await nobody.goto(loginUrl())
    await nobody.waitForURL('**/sign-in?*')
    const next = new URL(nobody.url()).searchParams.get('next') ?? ''
    for (const path of [`/oauth/consent/${uid}`, next]) {
      assert.match(path, /^\/oauth\/consent\//)
      await victim.goto(path)
      await expectHeading(victim, 'This request has expired')
      assert.equal(await postConsentDecision(victim, path.split('/').at(-1) ?? '', allowing), 404)
    }
    const signedInLater = await visitor()
    await signedInLater.goto(`/oauth/consent/${uid}`)
    await submitSignInForm(signedInLater, team.people.owner)
    await expectHeading(signedInLater, 'This request has expired')

    // By the redirect back, in part or whole: the victim would act in the name of the attacker.
    const heldRedirect = await allowAndHoldRedirect(attacker)
    assert.equal(
      await postConsentDecision(attacker, uid, allowing),
      404,
      'nor a second time by oneself',
    )
    // Also with one of the cookies injected, as a sibling domain can: the other is bound to the
    // host.
    const injected = (await attacker.context().cookies(heldRedirect)).filter(
      ({ path }) => path !== '/',
    )
    assert.equal(injected.length, 2)
    for (const cookies of [[], injected]) {
      await victim.context().addCookies(cookies)
      await victim.goto(heldRedirect)
      assert.equal(victim.url(), heldRedirect)
    }
    const codeRedirect = await redirectTarget(attacker, heldRedirect)
    await victim.goto(codeRedirect.href)
    await expectHeading(victim, 'Refused: unexpected "state" response parameter value')
    await victim.goto(loginUrl())
    await waitForConsent(victim)
    const own = await redirectTarget(victim, await allowAndHoldRedirect(victim))
    own.searchParams.set('code', codeRedirect.searchParams.get('code') ?? '')
    await victim.goto(own.href)
    await expectHeading(victim, 'Refused: invalid_grant')
    assert.equal(tokens.length, 0)

    // An attempt with a foreign verifier does not consume the code: its owner can still use it.
    await attacker.goto(codeRedirect.href)
    await expectHeading(attacker, 'Hello The guest of Test')
    assert.equal(callbacks().length, 3)
  },
)

const containsSecret = (referer: string): boolean => /\/oauth\/|code=|state=/.test(referer)
const refererOf = async (reply: Response) => (await reply.request().allHeaders()).referer ?? ''

/** The headers of a document that protect its address and prevent framing. */
async function protectiveHeaders(reply: Response): Promise<string> {
  const headers = await reply.allHeaders()
  const [framing = ''] =
    /frame-ancestors [^;]+/.exec(headers['content-security-policy'] ?? '') ?? []
  return `${reply.status()} ${headers['referrer-policy']} ${headers['cache-control']} ${framing}`
}

browserTest(
  'leaks no code or state by Referer, and redirects to no foreign address',
  async (fixture) => {
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
  },
)

const signOut = (page: Page) =>
  page.evaluate(async () => (await fetch('/internal/session', { method: 'DELETE' })).status)

browserTest('consent ends with the session that it was asked in', async (fixture) => {
  const { as, docket, team, allow } = fixture
  allow(401, 404)
  const { loginUrl, callbacks } = await startWebApplication(fixture)
  const page = await as('owner')
  // The person signs out meanwhile, and signs in again with the same account.
  await page.goto(loginUrl())
  await waitForConsent(page)
  const tab = await page.context().newPage()
  await tab.goto('/sign-in')
  assert.equal(await signOut(tab), 204)
  await answerConsent(page, 'Allow')
  await submitSignInForm(page, team.people.owner)
  await expectHeading(page, 'This request has expired')
  // Nor may another person answer, who has signed in meanwhile in another tab.
  await page.goto(loginUrl())
  await waitForConsent(page)
  await page.context().addCookies([await createSessionCookie(docket, team, 'member')])
  await answerConsent(page, 'Allow')
  await expectHeading(page, 'This request has expired')
  assert.deepEqual(callbacks(), [])
  for (const role of ['owner', 'member'] as const) {
    assert.deepEqual(await listGrantedApps(docket, team.people[role]), [])
  }
  await page.goto(loginUrl())
  await answerConsent(page, 'Allow')
  await expectHeading(page, 'Hello The member of Test')
})
