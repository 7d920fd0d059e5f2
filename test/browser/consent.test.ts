import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { joinedTo } from './support/second.ts'
import { cookieOf, newTeam } from './support/team.ts'
import { thirdParty } from './support/third.ts'

const QUESTION = 'Standup Notes asks to act for you'
const question = (page: Page) => page.getByRole('heading', { level: 1, name: QUESTION })
const isBack = (page: Page) => expect(page.getByText('Back in the app')).toBeVisible()

browse('who signs in for an application allows it one workspace, once', async (scene) => {
  const { visitor, team, docket, allow } = scene
  allow(401, 404)
  const app = await thirdParty(scene, {
    distribution: 'public',
    homepage_url: 'https://notes.example/about',
  })
  const { email, password, id } = team.people.member
  const other = await joinedTo(docket, id)
  const page = await visitor()
  await page.goto(app.asks({ login_hint: email }))
  await expect(page.getByLabel('Email')).toHaveValue(email)
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')

  await expect(question(page)).toBeVisible()
  await expect(page.getByRole('link', { name: 'notes.example' })).toBeVisible()
  const grave = page.getByRole('region', { name: 'It may also do what cannot be taken back' })
  await expect(grave.getByRole('listitem')).toHaveText(['commentsDelete comments'])
  const never = page.getByRole('region', { name: 'It can never' })
  await expect(never.getByText('delete anything')).toHaveCount(0)
  const host = new URL(app.redirect_uri).host
  await expect(page.getByText(`a program on this computer, at ${host}`)).toBeVisible()
  await expect(page.getByText(email)).toBeVisible()
  await accessible(page)
  await page.getByLabel('In', { exact: true }).selectOption(other.workspace)
  await expect(never.getByText('outside of The other')).toBeVisible()

  const answers: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') answers.push(request.url())
  })
  await page.getByRole('button', { name: 'Allow' }).dblclick()
  await isBack(page)
  assert.equal(answers.length, 1)
  const [back] = app.came
  assert.equal(back?.searchParams.get('state'), 'a state')
  assert.equal(back?.searchParams.get('iss'), docket.url)
  const { user, workspace, credential } = await app.me(back?.searchParams.get('code'))
  assert.deepEqual([user.id, workspace.id], [id, other.workspace])
  assert.deepEqual(credential.scopes, ['comments:delete', 'comments:write', 'tasks:read'])

  // What was answered cannot be answered again.
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'This request has ended' })).toBeVisible()
  await accessible(page)
  assert.equal(app.came.length, 1)
})

browse('an application is denied by keys, on a phone, and as somebody else', async (scene) => {
  const { as, team, allow } = scene
  allow(400, 401)
  const app = await thirdParty(scene)
  const page = await as('owner', { viewport: { width: 360, height: 740 } })
  await page.goto(app.asks({ scope: 'tasks:read' }))
  await expect(question(page)).toBeVisible()
  await expect(page.getByLabel('In', { exact: true })).toHaveCount(0)
  await expect(page.getByText('delete anything')).toBeVisible()
  const width = () => page.evaluate(() => document.documentElement.scrollWidth)
  assert.equal(await width(), 360)
  const sizes = await Promise.all(
    ['Deny', 'Allow'].map((name) => page.getByRole('button', { name }).boundingBox()),
  )
  assert.deepEqual(sizes[0]?.width, sizes[1]?.width)

  await page.getByRole('button', { name: 'Switch' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  const { email, password } = team.people.guest
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(question(page)).toBeVisible()
  await expect(page.getByText(email)).toBeVisible()
  await page.getByRole('button', { name: 'Deny' }).focus()
  await page.keyboard.press('Space')
  await isBack(page)
  const [back] = app.came
  assert.equal(back?.searchParams.get('error'), 'access_denied')
  assert.equal(back?.searchParams.get('state'), 'a state')
  assert.equal(back?.searchParams.get('code'), null)

  // An address that was not registered is never gone to.
  const evil = app.redirect_uri.replace('/cb', '/cb/../evil')
  await page.goto(app.asks({ redirect_uri: evil }))
  assert.ok(page.url().includes('/oauth/authorize'))
  await accessible(page)
})

browse('who is signed in signs in anew where the application wants it', async (scene) => {
  const { as, team, allow, docket, visitor } = scene
  allow(401, 404)
  const app = await thirdParty(scene)
  const page = await as('member')
  await page.goto(app.asks({ prompt: 'login' }))
  await expect(page.getByText(/asks that you sign in anew/)).toBeVisible()
  await accessible(page)
  await page.getByLabel('Email').fill(team.people.member.email)
  await page.getByLabel('Password', { exact: true }).fill(team.people.member.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(question(page)).toBeVisible()
  const address = page.url()
  // In another browser nobody asked anything.
  const other = await as('member')
  await other.goto(address)
  await expect(other.getByRole('heading', { name: 'This request has ended' })).toBeVisible()
  await page.getByRole('button', { name: 'Allow' }).click()
  await isBack(page)
  const { user } = await app.me(app.came[0]?.searchParams.get('code'))
  assert.equal(user.id, team.people.member.id)

  // Whom it is not open to can only deny it.
  const strangers = await newTeam(docket)
  const stranger = await visitor()
  await stranger.context().addCookies([await cookieOf(docket, strangers, 'owner')])
  await stranger.goto(app.asks())
  await expect(stranger.getByText(/not open to any workspace that you are in/)).toBeVisible()
  await expect(stranger.getByRole('button', { name: 'Allow' })).toHaveCount(0)
  await accessible(stranger)
  await stranger.getByRole('button', { name: 'Deny' }).click()
  await isBack(stranger)
  assert.equal(app.came[1]?.searchParams.get('error'), 'access_denied')
})
