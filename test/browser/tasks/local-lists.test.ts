import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { waitForCopies } from '../support/reads/copies.ts'
import { countReads } from '../support/reads/feed-reads.ts'
import { routeRequests } from '../support/route-requests.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

const numbers = (page: Page) =>
  page
    .locator('.list [data-number]')
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-number'))))

browserTest('asks the server nothing for another filter, group, order or view', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 6, (n) => ({
    title: `Task ${6 - n}`,
    status: n < 4 ? 'todo' : 'done',
    priority: n % 2 === 0 ? 'high' : 'low',
    due_date: dateFromToday(n),
    estimate_seconds: 3_600,
  }))
  const page = await as('member')
  const opening = countReads(page)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect.poll(() => numbers(page)).toEqual([1, 2, 3, 4, 5, 6])
  await expect(page.getByText('Live')).toBeVisible()
  await page.getByRole('button', { name: 'Saved views' }).waitFor()
  // Once it is connected, it reads again what hints are about.
  const isBoot = (url: string) => url.endsWith('/internal/boot')
  await expect.poll(() => opening().filter(isBoot).length).toBe(2)
  const reads = countReads(page)
  const choose = async (menu: RegExp, item: string) => {
    await page.getByRole('button', { name: menu }).click()
    await page.locator('[role^="menuitem"]').filter({ hasText: item }).first().click()
    await expect(page.getByRole('menu')).toBeHidden()
  }

  await choose(/^Group/, 'Priority')
  await expect.poll(() => numbers(page)).toEqual([1, 3, 5, 2, 4, 6])
  await choose(/^Sort/, 'Title')
  await expect.poll(() => numbers(page)).toEqual([5, 3, 1, 6, 4, 2])
  await page.keyboard.press('/')
  await page.getByRole('option', { name: 'Status' }).waitFor()
  await page.keyboard.type('status:open')
  await expect(page.locator(':focus')).toHaveValue('status:open')
  await page.keyboard.press('Enter')
  await expect.poll(() => numbers(page)).toEqual([3, 1, 4, 2])
  await page.keyboard.press('Escape')
  await expect(page.getByText('tasks, 4 open, 0m spent of 4h estimated')).toBeVisible()
  await page.keyboard.press('2')
  await expect(page.getByRole('region', { name: 'High' }).locator('[data-number]')).toHaveCount(2)
  await page.keyboard.press('3')
  await expect(page.locator('.plan-row[data-number="4"] .plan-span')).toBeVisible()
  await page.keyboard.press('4')
  await expect(page.getByText('Task 6', { exact: true })).toBeVisible()
  await page.keyboard.press('1')
  await expect.poll(() => numbers(page)).toEqual([3, 1, 4, 2])
  assert.deepEqual(reads(), [])
})

browserTest('finds words of descriptions that the page does not have', async (fixture) => {
  const { as, ask, team } = fixture
  const [, second] = await seedTasks(fixture, 3, (n) => ({
    title: `Task ${n + 1}`,
    description: n === 0 ? 'Call the plumber.' : 'Nothing of it.',
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?f=plumb`)
  await expect.poll(() => numbers(page)).toEqual([1])
  // What is in a title needs no answer.
  await ask('owner', `PATCH /api/v1/tasks/${second?.id}`, { title: 'Pay the plumber' })
  await expect.poll(() => numbers(page)).toEqual([1, 2])
})

browserTest('a text filter that the server does not answer says so', async (fixture) => {
  const { as, team, allow } = fixture
  allow(503)
  await seedTasks(fixture, 3, (n) => ({
    title: `Task ${n + 1}`,
    description: 'Call the plumber.',
  }))
  const page = await as('member')
  const answer = Promise.withResolvers<void>()
  let isDown = true
  await page.route('**/matches?*', async (route) => {
    await answer.promise
    if (isDown) await route.fulfill({ status: 503, json: {} })
    else await route.fallback()
  })
  const isAsked = page.waitForRequest('**/matches?*')
  await page.goto(`/w/${team.workspace}/p/ENG?f=plumb`)
  await isAsked
  await expect(page.getByText('Live')).toBeVisible()
  const nothing = page.getByText('No tasks match', { exact: false })
  await expect(nothing).toHaveCount(0)
  answer.resolve()
  const retry = page.getByRole('button', { name: 'Try again' })
  await expect(retry).toBeVisible()
  await expect(nothing).toHaveCount(0)
  isDown = false
  await retry.click()
  await expect.poll(() => numbers(page)).toEqual([1, 2, 3])
  await expect(retry).toBeHidden()
})

browserTest('a project that is opened again asks only for what has changed', async (fixture) => {
  const { as, ask, team } = fixture
  const tasks = await seedTasks(fixture, 3, (n) => ({ title: `Task ${n + 1}` }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect.poll(() => numbers(page)).toEqual([1, 2, 3])
  await waitForCopies(page, [/ tasks prj_\w+$/])
  await page.goto('/docs')
  await ask('owner', `PATCH /api/v1/tasks/${tasks[0]?.id}`, { title: 'Renamed' })
  await ask('owner', `DELETE /api/v1/tasks/${tasks[1]?.id}`)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (/^\/(internal\/(changes|projects\/\w+\/tasks)|api\/v1\/tasks)/.test(pathname))
      asked.push(`${pathname} ${[...searchParams.keys()].join(' ')}`)
  })
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.getByText('Renamed', { exact: true })).toBeVisible()
  await expect.poll(() => numbers(page)).toEqual([1, 3])
  await expect(page.getByText('Live')).toBeVisible()
  // A page that opens before the server answers hears of the changes by the stream alone.
  const isStep = (one: string) => /^\/internal\/changes after( project_id types limit)?$/.test(one)
  assert.deepEqual(
    asked.filter((one) => !isStep(one)),
    [],
  )
  assert.ok(asked.length === 1 || asked.length === 2, asked.join())
})

browserTest('names tasks by a new prefix of their project', async (fixture) => {
  const { as, docket, team } = fixture
  await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}` }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.getByRole('link', { name: 'ENG-1', exact: true })).toBeVisible()
  await expect(page.getByText('Live')).toBeVisible()
  const other = await as('owner')
  const renamed = await other.request.patch(`/internal/projects/${team.project}`, {
    headers: { origin: docket.url },
    data: { prefix: 'NEW' },
  })
  assert.equal(renamed.status(), 200)
  await page.getByRole('navigation').locator('a[href$="/p/NEW"]').click()
  await expect(page.getByRole('link', { name: 'NEW-1', exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'NEW-2', exact: true })).toBeVisible()
})

browserTest(
  'a project whose tasks cannot be loaded says so, and is loaded again by itself',
  async (fixture) => {
    const { as, team, allow } = fixture
    allow(503)
    await seedTasks(fixture, 1, () => ({ title: 'First' }))
    const page = await as('member')
    await page.clock.install()
    let isDown = true
    let failures = 0
    await page.route('**/internal/projects/*/tasks', async (route) => {
      if (!isDown) return route.fallback()
      failures += 1
      await route.fulfill({ status: 503, json: {} })
    })
    await page.goto(`/w/${team.workspace}/p/ENG`)
    const retry = page.getByRole('button', { name: 'Try again' })
    await expect(retry).toBeVisible()
    const before = failures
    await retry.click()
    await expect.poll(() => failures).toBeGreaterThan(before)
    isDown = false
    await page.clock.runFor(15_000)
    await expect(page.getByText('First', { exact: true })).toBeVisible()
    await expect(retry).toBeHidden()
  },
)

browserTest(
  'shows a new task once, also if the stream tells of it before the reply',
  async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 1, () => ({ title: 'First' }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await expect(page.getByText('First', { exact: true })).toBeVisible()
    await expect(page.getByText('Live')).toBeVisible()
    const reply = Promise.withResolvers<void>()
    await routeRequests(page, '**/api/v1/tasks', async (route) => {
      const response = await route.fetch()
      await reply.promise
      await route.fulfill({ response })
    })
    await page.keyboard.press('n')
    await page.getByRole('combobox', { name: 'New task in To do' }).fill('Second')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('link', { name: 'ENG-2', exact: true })).toBeVisible()
    const second = page.locator('[data-number]').filter({ hasText: 'Second' })
    await expect(second).toHaveCount(1)
    reply.resolve()
    await expect(page.getByText('1 change', { exact: false })).toBeHidden()
    await expect(second).toHaveCount(1)
    await expect(page.getByText('tasks, 2 open')).toBeVisible()
  },
)
