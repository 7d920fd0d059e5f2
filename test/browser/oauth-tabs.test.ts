import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browse } from './support/browse.ts'
import { allowedBy, answer, askedIn, decided, fillIn, isTold } from './support/consent.ts'
import { expect } from './support/expect.ts'
import { cookieOf, newTeam } from './support/team.ts'
import { webApplication } from './support/web-application.ts'

const signOut = (page: Page) =>
  page.evaluate(async () => (await fetch('/internal/session', { method: 'DELETE' })).status)

browse('authorization requests in several tabs get one answer each', async (scene) => {
  const { as, docket, team, allow } = scene
  allow(401, 404)
  const [notes, clock] = [
    await webApplication(scene),
    await webApplication(scene, { name: 'Clock' }),
  ]
  const page = await as('member')
  const tabs = [page, await page.context().newPage(), await page.context().newPage()] as const
  const [first, second, third] = tabs
  await first.goto(notes.login())
  await Promise.all([second.goto(notes.login()), third.goto(clock.login())])
  const uid = await askedIn(first)
  await Promise.all([askedIn(second), askedIn(third)])
  await Promise.all([answer(first, 'Allow'), answer(second, 'Deny'), answer(third, 'Allow')])
  await Promise.all([
    isTold(first, 'Hello The member of Test'),
    isTold(second, 'Refused: access_denied'),
    isTold(third, 'Hello The member of Test'),
  ])
  const apps = await allowedBy(docket, team.people.member)
  assert.deepEqual(apps.toSorted(), [notes.app.id, clock.app.id].toSorted())

  // What was allowed once is not allowed again: not by going back, nor by the call behind the page.
  await first.goBack()
  await isTold(first, 'This request has ended')
  const allowing = { decision: 'allow', workspace_id: team.workspace }
  assert.equal(await decided(first, uid, allowing), 404)
  assert.equal((await allowedBy(docket, team.people.member)).length, 2)
})

browse('two authorization requests begun before sign-in are answered apart', async (scene) => {
  const { visitor, team, allow } = scene
  allow(401)
  const notes = await webApplication(scene)
  const clock = await webApplication(scene, { name: 'Clock' })
  const early = await visitor()
  const other = await early.context().newPage()
  await Promise.all([early.goto(notes.login()), other.goto(clock.login())])
  await fillIn(early, team.people.admin)
  await askedIn(early)
  await fillIn(other, team.people.admin)
  await askedIn(other)
  await answer(other, 'Allow')
  await isTold(other, 'Hello The admin of Test')
})

browse(
  'consent is refused for a foreign workspace and after another person signed in',
  async (scene) => {
    const { as, docket, team, allow } = scene
    allow(401, 404, 422)
    const { login, backs } = await webApplication(scene)
    const strangers = await newTeam(docket)
    const page = await as('member')
    await page.goto(login())
    const uid = await askedIn(page)
    for (const workspace_id of [strangers.workspace, undefined]) {
      assert.equal(await decided(page, uid, { decision: 'allow', workspace_id }), 422)
    }

    // Somebody else has signed in meanwhile, in another tab.
    await page.context().addCookies([await cookieOf(docket, team, 'owner')])
    await answer(page, 'Allow')
    await isTold(page, 'This request has ended')
    assert.deepEqual(backs(), [])
    for (const role of ['owner', 'member'] as const) {
      assert.deepEqual(await allowedBy(docket, team.people[role]), [])
    }
  },
)

browse('consent ends with the session that it was asked in', async (scene) => {
  const { as, docket, team, allow } = scene
  allow(401, 404)
  const { login, backs } = await webApplication(scene)
  const page = await as('owner')
  // The person signs out meanwhile, and comes back as the same.
  await page.goto(login())
  await askedIn(page)
  const tab = await page.context().newPage()
  await tab.goto('/sign-in')
  assert.equal(await signOut(tab), 204)
  await answer(page, 'Allow')
  await fillIn(page, team.people.owner)
  await isTold(page, 'This request has ended')
  assert.deepEqual([backs(), await allowedBy(docket, team.people.owner)], [[], []])
  await page.goto(login())
  await answer(page, 'Allow')
  await isTold(page, 'Hello The owner of Test')
})

browse('prompt=login cannot be bypassed', async (scene) => {
  const { as, docket, team, allow } = scene
  allow(401, 404)
  const { login } = await webApplication(scene)
  const page = await as('member')
  await page.goto(login({ prompt: 'login' }))
  await page.waitForURL('**/sign-in?*')
  const next = new URL(page.url()).searchParams.get('next') ?? ''
  const allowing = { decision: 'allow', workspace_id: team.workspace }
  await page.goto(next)
  await page.waitForURL('**/sign-in?*')
  assert.equal(await decided(page, next.split('/').at(-1) ?? '', allowing), 401)
  assert.deepEqual(await allowedBy(docket, team.people.member), [])
  // Whoever signs in answers: it may be somebody else.
  await fillIn(page, team.people.admin)
  await askedIn(page)
  await expect(page.getByText(team.people.admin.email)).toBeVisible()
  await answer(page, 'Allow')
  await isTold(page, 'Hello The admin of Test')
})
