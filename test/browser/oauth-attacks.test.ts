import assert from 'node:assert/strict'
import type { Page, Response } from '@playwright/test'
import { newApp } from '../support/oauth.ts'
import { browse } from './support/browse.ts'
import { allowedBy, answer, askedIn, decided, fillIn, isTold } from './support/consent.ts'
import { elsewhere, page as shown } from './support/elsewhere.ts'
import { expect } from './support/expect.ts'
import { begun, discovered } from './support/native-application.ts'
import { homeOf, webApplication } from './support/web-application.ts'

interface Target {
  url: string
  uid: string
  workspace_id: string
}

/** All that a page can make a browser send to answer in its stead: to be called within that page. */
async function answers({ url, uid, workspace_id }: Target): Promise<void> {
  const json = JSON.stringify({ decision: 'allow', workspace_id })
  const to = `${url}/internal/oauth/interactions/${uid}`
  const form = new URLSearchParams({ decision: 'allow', workspace_id })
  const simple = { method: 'POST', mode: 'no-cors', credentials: 'include' } as const
  const headers = { 'content-type': 'application/json' }
  for (const body of [json, form, new Blob([json]), null]) {
    await fetch(to, { ...simple, body }).catch(() => undefined)
  }
  await fetch(to, { ...simple, mode: 'cors', headers, body: json }).catch(() => undefined)
  for (const enctype of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ]) {
    const frame = Object.assign(document.createElement('iframe'), { name: enctype })
    const form = Object.assign(document.createElement('form'), { action: to, method: 'post' })
    Object.assign(form, { enctype, target: enctype })
    const field = document.createElement('input')
    form.append(Object.assign(field, { name: json.slice(0, -1), value: '}' }))
    document.body.append(frame, form)
    // What is refused loads too: it is the browser's own page then.
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
    form.submit()
    await loaded
  }
}

/** Whether a page can show an address within itself; what is refused becomes the browser's own page. */
async function isFramed(tab: Page, url: string): Promise<boolean> {
  await tab.evaluate(async (address) => {
    const frame = Object.assign(document.createElement('iframe'), { src: address })
    document.body.append(frame)
    await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
  }, url)
  return tab.frames().some((frame) => frame !== tab.mainFrame() && /^http/.test(frame.url()))
}

for (const from of ['127.0.0.1', 'localhost'] as const) {
  browse(`a page of ${from} can neither frame nor answer the consent screen`, async (scene) => {
    const { as, team, docket, allow } = scene
    // The browser tells of everything that it did not let through.
    allow(/.*/, 400, 401, 403, 404, 415)
    const { app, login, backs } = await webApplication(scene)
    const page = await as('member')
    await page.goto(login())
    const uid = await askedIn(page)
    const evil = await elsewhere(scene, undefined, from)
    const tab = await page.context().newPage()
    const said: number[] = []
    tab.on('response', (reply) => {
      if (reply.request().method() === 'POST') said.push(reply.status())
    })
    await tab.goto(evil.origin)
    await tab.evaluate(answers, { url: docket.url, uid, workspace_id: team.workspace })
    // Another port is the same site, to which the cookies do go: there it is the server that refuses.
    await expect.poll(() => said.length).toBe(7)
    assert.deepEqual([...new Set(said)], [from === '127.0.0.1' ? 403 : 401])

    assert.equal(await isFramed(tab, `${evil.origin}/own`), true)
    for (const path of [`/oauth/consent/${uid}`, '/sign-in', '/oauth/authorize']) {
      await tab.goto(evil.origin)
      assert.equal(await isFramed(tab, docket.url + path), false, path)
    }
    await tab.goto(evil.origin)
    assert.equal(await isFramed(tab, login()), false, 'nor by way of the application')
    assert.deepEqual([await allowedBy(docket, team.people.member), backs()], [[], []])

    await answer(page, 'Allow')
    await isTold(page, 'Hello The member of Test')
    assert.deepEqual(await allowedBy(docket, team.people.member), [app.id])
  })
}

/** Allows what is asked, and keeps the browser where it is: gives the address at which it would go on. */
async function allowedAndHeld(page: Page): Promise<string> {
  const goingOn = '**/oauth/authorize/*'
  await page.route(goingOn, (route) => route.fulfill({ status: 204 }))
  const [held] = await Promise.all([page.waitForResponse(goingOn), answer(page, 'Allow')])
  await page.unroute(goingOn)
  return held.url()
}

/** Where that address leads, in the browser of this page. */
async function ledTo(page: Page, url: string): Promise<URL> {
  const reply = await page.request.get(url, { maxRedirects: 0 })
  return new URL(reply.headers().location ?? '', url)
}

browse(
  'an authorization request is bound to the browser that began it (session fixation)',
  async (scene) => {
    const { as, visitor, team, allow } = scene
    allow(400, 401, 404)
    const { tokens, login, backs } = await webApplication(scene)
    const [attacker, victim] = [await as('guest'), await as('owner')]
    const allowing = { decision: 'allow', workspace_id: team.workspace }

    // By an address that is sent around: begun while signed in, and while nobody is.
    await attacker.goto(login())
    const uid = await askedIn(attacker)
    const nobody = await visitor()
    await nobody.goto(login())
    await nobody.waitForURL('**/sign-in?*')
    const next = new URL(nobody.url()).searchParams.get('next') ?? ''
    for (const path of [`/oauth/consent/${uid}`, next]) {
      assert.match(path, /^\/oauth\/consent\//)
      await victim.goto(path)
      await isTold(victim, 'This request has ended')
      assert.equal(await decided(victim, path.split('/').at(-1) ?? '', allowing), 404)
    }
    const late = await visitor()
    await late.goto(`/oauth/consent/${uid}`)
    await fillIn(late, team.people.owner)
    await isTold(late, 'This request has ended')

    // By the way back, half of it or all: the victim would work in the name of the attacker.
    const half = await allowedAndHeld(attacker)
    assert.equal(await decided(attacker, uid, allowing), 404, 'nor a second time by oneself')
    // Also where one of the cookies was slipped in, as a neighbour in the domain can: the other binds to the host.
    const slipped = (await attacker.context().cookies(half)).filter(({ path }) => path !== '/')
    assert.equal(slipped.length, 2)
    for (const cookies of [[], slipped]) {
      await victim.context().addCookies(cookies)
      await victim.goto(half)
      assert.equal(victim.url(), half)
    }
    const whole = await ledTo(attacker, half)
    await victim.goto(whole.href)
    await isTold(victim, 'Refused: unexpected "state" response parameter value')
    await victim.goto(login())
    await askedIn(victim)
    const own = await ledTo(victim, await allowedAndHeld(victim))
    own.searchParams.set('code', whole.searchParams.get('code') ?? '')
    await victim.goto(own.href)
    await isTold(victim, 'Refused: invalid_grant')
    assert.equal(tokens.length, 0)

    // An attempt with a stranger's verifier has not used the code up: whose it is still gets in.
    await attacker.goto(whole.href)
    await isTold(attacker, 'Hello The guest of Test')
    assert.equal(backs().length, 3)
  },
)

const isTelling = (referer: string): boolean => /\/oauth\/|code=|state=/.test(referer)
const refererOf = async (reply: Response) => (await reply.request().allHeaders()).referer ?? ''

/** The headers of a document that keep its address and its buttons from others. */
async function guarding(reply: Response): Promise<string> {
  const headers = await reply.allHeaders()
  const [framing = ''] =
    /frame-ancestors [^;]+/.exec(headers['content-security-policy'] ?? '') ?? []
  return `${reply.status()} ${headers['referrer-policy']} ${headers['cache-control']} ${framing}`
}

browse('leaks no code or state by Referer, and redirects to no foreign address', async (scene) => {
  const { visitor, team, docket, allow } = scene
  allow(400, 401)
  const evil = await elsewhere(scene)
  const homepage_url = `${evil.origin}/about`
  const { origin, login, backs } = await webApplication(scene, { homepage_url })
  const page = await visitor()
  const replies: Response[] = []
  page.context().on('response', (reply) => replies.push(reply))
  await page.goto(login())
  await fillIn(page, team.people.member)
  const uid = await askedIn(page)
  const [about] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: new URL(homepage_url).host }).click(),
  ])
  await isTold(about, 'Elsewhere /about')
  assert.equal(await about.evaluate(() => window.opener), null)
  await page.goto(`/oauth/consent/${uid}?redirect_to=${evil.origin}&redirect_uri=${evil.origin}`)
  await askedIn(page)
  await answer(page, 'Allow')
  await isTold(page, 'Hello The member of Test')
  assert.deepEqual([backs()[0]?.referer, evil.came[0]?.referer], [undefined, undefined])
  const documents = replies.filter((reply) => reply.request().resourceType() === 'document')
  const ours = documents.filter((reply) => new URL(reply.url()).pathname.startsWith('/oauth/'))
  assert.deepEqual([...new Set(await Promise.all(ours.map(guarding)))].toSorted(), [
    "200 no-referrer no-cache frame-ancestors 'none'",
    '303 no-referrer no-store ',
  ])
  const asked = replies.filter((reply) => /document|fetch/.test(reply.request().resourceType()))
  assert.deepEqual((await Promise.all(asked.map(refererOf))).filter(isTelling), [])
  // Where nothing is said of it browsers do tell.
  const [after] = await Promise.all([
    page.waitForResponse(`${origin}/login`),
    page.evaluate(() => location.assign('/login')),
  ])
  assert.ok(isTelling(await refererOf(after)))
  await askedIn(page)

  // Errors go to an address of the application, or nowhere.
  const elsewhereTo = `${evil.origin}/cb`
  const wrongs = [{}, { scope: 'moon:read' }, { prompt: 'none' }, { client_id: 'app_x' }]
  for (const wrong of wrongs) {
    await page.goto(login({ redirect_uri: elsewhereTo, ...wrong }))
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(new URL(page.url()).origin, docket.url)
    await expect(page.getByText(evil.origin)).toHaveCount(0)
  }
  await page.goto(`/oauth/authorize/${uid}?redirect_uri=${elsewhereTo}`)
  assert.equal(new URL(page.url()).origin, docket.url)
  await page.goto(login({ scope: 'moon:read' }))
  await isTold(page, 'Refused: invalid_scope')
  assert.equal(page.url().startsWith(`${origin}/cb?`), true)
  for (const next of [`/\\${new URL(evil.origin).host}/`, `/\t/${new URL(evil.origin).host}/`]) {
    const again = await visitor()
    await again.goto(`/sign-in?${new URLSearchParams({ next, again: '1' })}`)
    await fillIn(again, team.people.member)
    await again.waitForURL('**/w/**')
  }
  assert.deepEqual(
    evil.came.map(({ url }) => url.pathname),
    ['/about'],
  )
})

browse('the iss parameter prevents authorization server mix-up', async (scene) => {
  const { as, docket, team } = scene
  const redirect_uris = ['http://127.0.0.1/cb']
  const { id } = await newApp(docket, homeOf(team), { redirect_uris })
  // One of the servers that a program lets people choose: it sends them to Docket, and waits for the code.
  const evil = await elsewhere(scene, ({ pathname, search }, _, reply) => {
    const location = `${docket.url}/oauth/authorize${search}`
    if (pathname === '/authorize') reply.writeHead(302, { location }).end()
    else shown(reply, 'Thank you')
  })
  const chosen = {
    issuer: evil.origin,
    authorization_endpoint: `${evil.origin}/authorize`,
    token_endpoint: `${evil.origin}/token`,
  }
  const page = await as('member')
  const answeredAt = async (server: Parameters<typeof begun>[1]) => {
    const request = await begun(scene, server, { client_id: id })
    await page.goto(request.url)
    await answer(page, 'Allow')
    await isTold(page, 'Back in the terminal')
    return request
  }
  const honest = await answeredAt(await discovered(docket.url))
  assert.equal((await honest.finish()).scope, 'tasks:read')

  const mixed = await answeredAt(chosen)
  await assert.rejects(mixed.finish(), /unexpected "iss"/)
  const paths = () => evil.came.map(({ url }) => url.pathname)
  assert.deepEqual(paths(), ['/authorize'])
  // Where the answer does not say whose it is, the code goes to whoever has begun it.
  const bare = mixed.back()
  bare.searchParams.delete('iss')
  await page.goto(bare.href)
  await assert.rejects(mixed.finish())
  assert.deepEqual(paths(), ['/authorize', '/token'])
})
