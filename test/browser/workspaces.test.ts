import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { openLive } from '../support/live.ts'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { joinedTo } from './support/second.ts'
import { seedTasks, signIn } from './support/seed.ts'
import { cookieOf } from './support/team.ts'

interface Task {
  version: number
  status_category: string
  completed_by_id: string | null
}

/** A task of the member, in a tab that shows their work. */
async function workOpened(scene: Scene, title: string) {
  const { as, ask, team } = scene
  const [task] = await seedTasks(scene, 1, (_, { people }) => ({
    ...{ title, assignee_ids: [people.member.id] },
  }))
  const page = await as('member')
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/my`)
  const row = page.getByRole('listitem').filter({ hasText: title })
  await expect(row).toBeVisible()
  const path = `/api/v1/tasks/${task?.id}`
  return { page, row, path, saved: () => ask<Task>('owner', `GET ${path}`) }
}

/** What a page asks of the API from now on, in order: `PATCH /internal/session`. */
function requestsOf(page: Page): string[] {
  const requests: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/^\/(api|internal)\//.test(pathname)) requests.push(`${request.method()} ${pathname}`)
  })
  return requests
}

browse('a tab sends no request in the workspace that another tab switched to', async (scene) => {
  const { team, ask, docket } = scene
  const other = await joinedTo(docket, team.people.member.id)
  const { page: first, row, path, saved } = await workOpened(scene, 'Of the first')

  // The address of the other workspace switches the session; the first tab says so.
  const second = await first.context().newPage()
  await second.goto(`/w/${other.workspace}/my`)
  await expect(second.getByText('Nothing is assigned to you.')).toBeVisible()
  await expect(second.getByText('Of the first')).toHaveCount(0)
  const bar = first.getByText('Another tab has switched to The other')
  await expect(bar).toBeVisible()

  const requests = requestsOf(first)
  const cookie = await cookieOf(docket, team, 'owner')
  const live = await openLive(Number(new URL(docket.url).port), {
    cookie: `${cookie.name}=${cookie.value}`,
  })
  await row.getByRole('button', { name: /Complete or reopen/ }).click()
  await first.getByRole('button', { name: 'Created' }).click()
  await ask('owner', `PATCH ${path}`, { title: 'Of the first, renamed' })
  // The live stream has sent the change, so the tab has no reason left to delay reading.
  await expect.poll(() => live.heard.length).toBeGreaterThan(0)
  live.close()
  await first.clock.runFor(10_000)

  // Another field was changed meanwhile: asked for again, and sent on top of it.
  scene.allow(412)
  // Back: what was meant goes out now, and what was missed is there.
  await first.getByRole('button', { name: 'Switch back' }).click()
  await expect(bar).toBeHidden()
  await expect.poll(async () => (await saved()).status_category).toBe('completed')
  assert.equal(
    requests[0],
    'PATCH /internal/session',
    'it spoke in the session of another workspace',
  )
  await expect(second.getByText('Another tab has switched to Test')).toBeVisible()
  await first.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(first.getByText('Of the first, renamed')).toBeVisible()
})

browse('switching the workspace loads the page anew; an unknown one is refused', async (scene) => {
  const { as, team, docket } = scene
  const other = await joinedTo(docket, team.people.member.id)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  await page.getByRole('button', { name: /Switch workspace/ }).click()
  await page.getByRole('menuitemcheckbox', { name: 'The other' }).click()
  await page.waitForURL(`**/w/${other.workspace}/my`)
  await expect(page.getByText('Nothing is assigned to you.')).toBeVisible()

  scene.allow(404, /There is no such record/)
  await page.goto(`/w/wsp_${'0'.repeat(26)}/my`)
  await expect(page.getByRole('heading', { name: 'This page cannot be shown' })).toBeVisible()
})

browse("holds a person's unsent change while another person is signed in", async (scene) => {
  const { team, allow, ask } = scene
  const { page, row, path, saved } = await workOpened(scene, 'Mine')
  // After a change the page asks for its counts within ten seconds: by then somebody else is signed in.
  await ask('owner', `PATCH ${path}`, { title: 'Mine, renamed' })
  await expect(row).toContainText('Mine, renamed')
  await page.context().clearCookies()
  allow(401)
  await row.getByRole('button', { name: /Complete or reopen/ }).click()
  await expect(page.getByRole('dialog')).toBeVisible()

  const { version } = await saved()
  const requests = requestsOf(page)
  const second = await page.context().newPage()
  await signIn(second, team.people.owner)
  await expect(page.getByText('The owner has signed in in another tab')).toBeAttached()
  await page.clock.runFor(10_000)

  // The same person again: it goes out, once, as theirs.
  const password = page.getByRole('dialog').getByLabel('Password', { exact: true })
  await password.fill(team.people.member.password)
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect.poll(async () => (await saved()).completed_by_id).toBe(team.people.member.id)
  assert.equal((await saved()).version, version + 1)
  assert.equal(requests[0], 'POST /internal/session', 'it spoke in the session of another person')
  await expect(second.getByText('The member has signed in in another tab')).toBeVisible()
})
