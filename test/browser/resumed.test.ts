import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'
import { cookieOf } from './support/team.ts'

const NET = /ERR_(CONNECTION|FAILED|INCOMPLETE|EMPTY|INTERNET)|net::/

const titles = async ({ ask, team }: Scene): Promise<string[]> => {
  const address = `GET /api/v1/projects/${team.project}/tasks?sort=created_at`
  return (await ask<{ data: { title: string }[] }>('owner', address)).data.map(({ title }) => title)
}

async function add(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Escape')
  await page.keyboard.press('c')
  const field = page.getByRole('textbox', { name: /new task/i })
  await field.fill(title)
  await field.press('Enter')
  await page.keyboard.press('Escape')
}

async function retitle(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('row', { name: new RegExp(from) }).press('e')
  await page.getByRole('textbox', { name: 'Title' }).fill(to)
  await page.keyboard.press('Enter')
}

/** The list of the project, from a page that leaves without being asked. */
async function list({ as, team, allow }: Scene) {
  allow(NET)
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('First', { exact: true }).waitFor()
  return page
}

browse('resumes unsent changes after a reload, in order and exactly once', async (scene) => {
  const [task] = await seedTasks(scene, 1, () => ({ title: 'First' }))
  assert.ok(task)
  const page = await list(scene)
  // The server has done it, and nobody hears of it; the rest does not get through.
  const seen: string[] = []
  const block = '**/api/v1/tasks{,/**}'
  await page.route(block, async (route) => {
    const request = route.request()
    if (request.method() === 'GET') return route.fallback()
    seen.push(request.method())
    if (seen.length === 1) await route.fetch()
    // Until the page is left no answer comes: after a few refusals the app would give up, which a slow machine reaches.
  })
  await retitle(page, 'First', 'Second')
  await expect.poll(() => titles(scene)).toEqual(['Second'])
  await add(page, 'Made offline')
  await retitle(page, 'Made offline', 'Made and changed')
  await expect.poll(() => seen.includes('POST')).toBe(true)
  await page.unroute(block)
  await page.reload()
  await expect(page.getByText('Made and changed', { exact: true })).toBeVisible()
  await expect.poll(() => titles(scene)).toEqual(['Second', 'Made and changed'])
  await expect
    .poll(() =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('.write.'))),
    )
    .toEqual([])
  const { version } = await scene.ask<{ version: number }>('owner', `GET /api/v1/tasks/${task.id}`)
  assert.equal(version, 2, 'changed once')
})

browse(
  'shows an unsent change after a reload, and lets a refused one be discarded',
  async (scene) => {
    const { ask, allow } = scene
    allow(404)
    const [task] = await seedTasks(scene, 2, (n) => ({ title: n === 0 ? 'First' : 'Other' }))
    assert.ok(task)
    const page = await list(scene)
    const block = '**/api/v1/tasks/**'
    const stop = () =>
      page.route(block, (route) =>
        route.request().method() === 'GET' ? route.fallback() : undefined,
      )
    await stop()
    await retitle(page, 'First', 'Mine')
    await page.reload()
    await expect(page.getByText('Mine', { exact: true })).toBeVisible()
    await ask('owner', `DELETE /api/v1/tasks/${task.id}`)
    await page.unroute(block)
    await page.reload()
    await expect(page.getByText('Not saved')).toBeVisible()
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect(page.getByText('Not saved')).toBeHidden()
    await page.reload()
    await page.getByText('Other', { exact: true }).waitFor()
    await expect(page.getByText('Not saved')).toBeHidden()
  },
)

browse("keeps one person's unsent changes from being sent by another", async (scene) => {
  const { team, docket, allow } = scene
  // A page that is left while it sends would ask, but nobody has touched it.
  allow(/beforeunload/)
  await seedTasks(scene, 1, () => ({ title: 'First' }))
  const page = await list(scene)
  const block = '**/api/v1/tasks{,/**}'
  await page.route(block, (route) =>
    route.request().method() === 'GET' ? route.fallback() : undefined,
  )
  const member = await page.context().cookies()
  await add(page, 'Of the member')
  await expect(page.getByText('Of the member', { exact: true })).toBeVisible()
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.context().addCookies([await cookieOf(docket, team, 'admin')])
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('First', { exact: true }).waitFor()
  await add(page, 'Of the admin')
  await expect(page.getByText('Of the admin', { exact: true })).toBeVisible()
  await page.goto('about:blank')
  await page.unroute(block)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  // What is left behind is sent in the order in which it was made: the member's would come first.
  await expect.poll(async () => (await titles(scene)).length).toBe(2)
  assert.deepEqual(await titles(scene), ['First', 'Of the admin'])

  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.context().addCookies(member)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect.poll(() => titles(scene)).toEqual(['First', 'Of the admin', 'Of the member'])
})

browse('keeps an unsaved task in the list when a colleague changes the list', async (scene) => {
  await seedTasks(scene, 1, () => ({ title: 'First' }))
  const page = await list(scene)
  await page.route('**/api/v1/tasks', (route) =>
    route.request().method() === 'POST' ? undefined : route.fallback(),
  )
  await add(page, 'Not saved yet')
  await expect(page.getByText('Not saved yet', { exact: true })).toBeVisible()
  const body = { project_id: scene.team.project, title: 'By a colleague' }
  await scene.ask('owner', 'POST /api/v1/tasks', body)
  await expect(page.getByText('By a colleague', { exact: true })).toBeVisible()
  await expect(page.getByText('Not saved yet', { exact: true })).toBeVisible()
})
