import assert from 'node:assert/strict'
import type { Page, Response } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { startForeignSite } from '../support/oauth/foreign-site.ts'
import { createThirdPartyApp } from '../support/oauth/third-party-app.ts'
import { joinSecondWorkspace } from '../support/second-workspace.ts'
import { createSessionCookie, createTeam } from '../support/team.ts'

const QUESTION = 'Standup Notes wants to access your account'
const question = (page: Page) => page.getByRole('heading', { level: 1, name: QUESTION })
const expectReturned = (page: Page) => expect(page.getByText('Back in the app')).toBeVisible()

browserTest('consent grants one workspace, and is answered only once', async (fixture) => {
  const { visitor, team, docket, allow } = fixture
  allow(401, 404)
  const app = await createThirdPartyApp(fixture, {
    distribution: 'public',
    homepage_url: 'https://notes.example/about',
  })
  const { email, password, id } = team.people.member
  const other = await joinSecondWorkspace(docket, id)
  const page = await visitor()
  await page.goto(app.authorizeUrl({ login_hint: email }))
  await expect(page.getByLabel('Email')).toHaveValue(email)
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')

  await expect(question(page)).toBeVisible()
  await expect(page.getByRole('link', { name: 'notes.example' })).toBeVisible()
  const irreversible = page.getByRole('region', {
    name: 'It will also be able to make permanent changes',
  })
  await expect(irreversible.getByRole('listitem')).toHaveText(['commentsDelete comments'])
  const notAllowed = page.getByRole('region', { name: 'It will not be able to' })
  await expect(notAllowed.getByText('delete anything')).toHaveCount(0)
  const host = new URL(app.redirect_uri).host
  await expect(page.getByText(`a program on this computer, at ${host}`)).toBeVisible()
  await expect(page.getByText(email)).toBeVisible()
  await page.getByLabel('Workspace', { exact: true }).selectOption(other.workspace)
  await expect(notAllowed.getByText('outside The other')).toBeVisible()

  const decisions: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') decisions.push(request.url())
  })
  await page.getByRole('button', { name: 'Allow' }).dblclick()
  await expectReturned(page)
  assert.equal(decisions.length, 1)
  const [back] = app.callbacks()
  assert.equal(back?.get('state'), 'a state')
  assert.equal(back?.get('iss'), docket.url)
  const { user, workspace, credential } = await app.me(back?.get('code'))
  assert.deepEqual([user.id, workspace.id], [id, other.workspace])
  assert.deepEqual(credential.scopes, ['comments:delete', 'comments:write', 'tasks:read'])

  // An answered request cannot be answered again.
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'This request has expired' })).toBeVisible()
  assert.equal(app.callbacks().length, 1)
})

browserTest('denies consent by keyboard, also after switching the account', async (fixture) => {
  const { as, team, allow } = fixture
  allow(400, 401)
  const app = await createThirdPartyApp(fixture)
  const page = await as('owner', { viewport: { width: 360, height: 740 } })
  await page.goto(app.authorizeUrl({ scope: 'tasks:read' }))
  await expect(question(page)).toBeVisible()
  await expect(page.getByLabel('Workspace', { exact: true })).toHaveCount(0)
  await expect(page.getByText('delete anything')).toBeVisible()
  const width = () => page.evaluate(() => document.documentElement.scrollWidth)
  assert.equal(await width(), 360)
  const sizes = await Promise.all(
    ['Deny', 'Allow'].map((name) => page.getByRole('button', { name }).boundingBox()),
  )
  assert.deepEqual(sizes[0]?.width, sizes[1]?.width)

  await page.getByRole('button', { name: 'Switch account' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  const { email, password } = team.people.guest
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(question(page)).toBeVisible()
  await expect(page.getByText(email)).toBeVisible()
  await page.getByRole('button', { name: 'Deny' }).focus()
  await page.keyboard.press('Space')
  await expectReturned(page)
  const [back] = app.callbacks()
  assert.equal(back?.get('error'), 'access_denied')
  assert.equal(back?.get('state'), 'a state')
  assert.equal(back?.get('code'), null)

  // The browser is never redirected to an address that is not registered.
  const evil = app.redirect_uri.replace('/cb', '/cb/../evil')
  await page.goto(app.authorizeUrl({ redirect_uri: evil }))
  assert.ok(page.url().includes('/oauth/authorize'))
  await assertAccessible(page)
})

browserTest('prompt=login asks a signed-in person to sign in again', async (fixture) => {
  const { as, team, allow, docket, visitor } = fixture
  allow(401, 404)
  const app = await createThirdPartyApp(fixture)
  const page = await as('member')
  await page.goto(app.authorizeUrl({ prompt: 'login' }))
  await expect(page.getByText(/Sign in again to continue/)).toBeVisible()
  await page.getByLabel('Email').fill(team.people.member.email)
  await page.getByLabel('Password', { exact: true }).fill(team.people.member.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(question(page)).toBeVisible()
  const address = page.url()
  // The request belongs to the browser that began it.
  const other = await as('member')
  await other.goto(address)
  await expect(other.getByRole('heading', { name: 'This request has expired' })).toBeVisible()
  await page.getByRole('button', { name: 'Allow' }).click()
  await expectReturned(page)
  const { user } = await app.me(app.callbacks()[0]?.get('code'))
  assert.equal(user.id, team.people.member.id)

  // A person outside of its workspace can only deny a private application.
  const strangers = await createTeam(docket)
  const stranger = await visitor()
  await stranger.context().addCookies([await createSessionCookie(docket, strangers, 'owner')])
  await stranger.goto(app.authorizeUrl())
  await expect(stranger.getByText(/not available in any of your workspaces/)).toBeVisible()
  await expect(stranger.getByRole('button', { name: 'Allow' })).toHaveCount(0)
  await assertAccessible(stranger)
  await stranger.getByRole('button', { name: 'Deny' }).click()
  await expectReturned(stranger)
  assert.equal(app.callbacks()[1]?.get('error'), 'access_denied')
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
  const { as, docket, allow } = fixture
  allow(400)
  const evil = await startForeignSite(fixture)
  const homepage_url = `${evil.origin}/about`
  // The loopback address of a public application may have any port.
  const app = await createThirdPartyApp(fixture, { homepage_url, type: 'confidential' })
  const page = await as('member')
  const replies: Response[] = []
  page.context().on('response', (reply) => replies.push(reply))
  await page.goto(app.authorizeUrl())
  await expect(question(page)).toBeVisible()
  const [about] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: new URL(evil.origin).host }).click(),
  ])
  await expect(about.getByText('Elsewhere /about')).toBeVisible()
  assert.equal(await about.evaluate(() => window.opener), null)
  await page.goto(`${page.url()}?redirect_to=${evil.origin}&redirect_uri=${evil.origin}`)
  await page.getByRole('button', { name: 'Allow' }).click()
  await expectReturned(page)
  const documents = replies.filter((reply) => reply.request().resourceType() === 'document')
  const ofOAuth = documents.filter((reply) => new URL(reply.url()).pathname.startsWith('/oauth/'))
  assert.deepEqual([...new Set(await Promise.all(ofOAuth.map(protectiveHeaders)))].toSorted(), [
    "200 no-referrer no-cache frame-ancestors 'none'",
    '303 no-referrer no-store ',
  ])
  const asked = replies.filter((reply) => /document|fetch/.test(reply.request().resourceType()))
  assert.deepEqual((await Promise.all(asked.map(refererOf))).filter(containsSecret), [])

  // Errors are redirected to a registered address of the application, or shown by Docket.
  const redirect_uri = `${evil.origin}/cb`
  for (const wrong of [{}, { scope: 'moon:read' }, { prompt: 'none' }, { client_id: 'app_x' }]) {
    await page.goto(app.authorizeUrl({ redirect_uri, ...wrong }))
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(new URL(page.url()).origin, docket.url)
    await expect(page.getByText(evil.origin)).toHaveCount(0)
  }
  await page.goto(app.authorizeUrl({ scope: 'moon:read' }))
  await expectReturned(page)
  assert.equal(app.callbacks().at(-1)?.get('error'), 'invalid_scope')
  assert.deepEqual(
    evil.requests.map(({ url }) => url.pathname),
    ['/about'],
  )
})

browserTest('consent lets the application ask before it deletes anything', async (fixture) => {
  const { as, team } = fixture
  const app = await createThirdPartyApp(fixture)
  const page = await as('member')
  await page.goto(app.authorizeUrl())
  await page.getByText('Ask me before some of its changes').click()
  await page.getByLabel('deletes something').check()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Allow' }).click()
  await expectReturned(page)
  const [back] = app.callbacks()
  await app.me(back?.get('code'))
  await page.goto(`/w/${team.workspace}/settings/agents`)
  await expect(page.getByText('Asks before it deletes something')).toBeVisible()
})
