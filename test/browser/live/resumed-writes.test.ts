import assert from 'node:assert/strict'
import type { Page, Request, Route } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { CONNECTION_ERRORS, openList } from '../support/open-list.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'
import { createSessionCookie } from '../support/team.ts'

const savedTitles = async ({ ask, team }: BrowserFixture): Promise<string[]> => {
  const address = `GET /api/v1/projects/${team.project}/tasks?sort=created_at`
  return (await ask<{ data: { title: string }[] }>('owner', address)).data.map(({ title }) => title)
}

async function addTask(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  const field = page.getByRole('combobox', { name: /new task/i })
  await field.fill(title)
  await field.press('Enter')
  await page.keyboard.press('Escape')
}

async function renameTask(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('row', { name: new RegExp(from) }).press('e')
  await page.getByRole('textbox', { name: 'Title' }).fill(to)
  await page.keyboard.press('Enter')
}

browserTest('resumes unsent changes after a reload, in order and exactly once', async (fixture) => {
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'First' }))
  assert.ok(task)
  const page = await openList(fixture, 'First')
  // The server applies the first write, but its response is lost; later writes are not sent on.
  const heldMethods: string[] = []
  let isHolding = true
  await routeRequests(page, '**/api/v1/tasks{,/**}', async (route) => {
    const request = route.request()
    if (request.method() === 'GET' || !isHolding) return route.fallback()
    heldMethods.push(request.method())
    if (heldMethods.length === 1) await route.fetch()
    // Requests stay pending until the page is left: after a few errors the app would stop retrying,
    // which happens on a slow machine. Without the route the browser would let them go on.
  })
  await renameTask(page, 'First', 'Second')
  await expect.poll(() => savedTitles(fixture)).toEqual(['Second'])
  await addTask(page, 'Made offline')
  await renameTask(page, 'Made offline', 'Made and changed')
  await expect(page.getByText('Made and changed', { exact: true })).toBeVisible()
  await expect.poll(() => heldMethods.includes('POST')).toBe(true)
  isHolding = false
  await page.reload()
  await expect(page.getByText('Made and changed', { exact: true })).toBeVisible()
  await expect.poll(() => savedTitles(fixture)).toEqual(['Second', 'Made and changed'])
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  const { version } = await fixture.ask<{ version: number }>(
    'owner',
    `GET /api/v1/tasks/${task.id}`,
  )
  assert.equal(version, 2, 'changed once')
})

browserTest(
  'keeps a write and the one behind it when a reply breaks off in its body',
  async (fixture) => {
    await seedTasks(fixture, 1, () => ({ title: 'First' }))
    const page = await openList(fixture, 'First')
    // So does a page that is left while a reply arrives: the server has applied the write by then.
    await page.evaluate(() => {
      const send = window.fetch
      window.fetch = async (...request) => {
        const reply = await send(...request)
        if (request[1]?.method !== 'POST' || !reply.url.endsWith('/api/v1/tasks')) return reply
        window.fetch = send
        // Until the next write waits for this one.
        while (!document.body.textContent.includes('Changed'))
          await new Promise((resolve) => setTimeout(resolve, 10))
        const body = new ReadableStream({ start: (stream) => stream.error(new TypeError()) })
        return new Response(body, reply)
      }
    })
    await addTask(page, 'Made')
    await renameTask(page, 'Made', 'Changed')
    await expect.poll(() => savedTitles(fixture)).toEqual(['First', 'Changed'])
    await expect(page.getByText('Changed', { exact: true })).toBeVisible()
  },
)

browserTest(
  'shows an unsent change after a reload, and lets a refused one be discarded',
  async (fixture) => {
    const { ask, allow } = fixture
    allow(404)
    const [task] = await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Other' }))
    assert.ok(task)
    const page = await openList(fixture, 'First')
    const block = '**/api/v1/tasks/**'
    const holdWrites = () =>
      routeRequests(page, block, (route) =>
        route.request().method() === 'GET' ? route.fallback() : undefined,
      )
    await holdWrites()
    const held = page.waitForRequest((request) => request.method() === 'PATCH')
    await renameTask(page, 'First', 'Mine')
    await held
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

browserTest("keeps one person's unsent changes from being sent by another", async (fixture) => {
  const { team, docket, allow } = fixture
  // Leaving with unsent writes would ask, but browsers skip that for pages without interaction.
  allow(/beforeunload/)
  await seedTasks(fixture, 1, () => ({ title: 'First' }))
  const page = await openList(fixture, 'First')
  const block = '**/api/v1/tasks{,/**}'
  await routeRequests(page, block, (route) =>
    route.request().method() === 'GET' ? route.fallback() : undefined,
  )
  const member = await page.context().cookies()
  // A page that is being left may send what is not held yet.
  const addHeldTask = async (title: string) => {
    const held = page.waitForRequest((request) => request.method() === 'POST')
    await addTask(page, title)
    await held
    await expect(page.getByText(title, { exact: true })).toBeVisible()
  }
  await addHeldTask('Of the member')
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.context().addCookies([await createSessionCookie(docket, team, 'admin')])
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('First', { exact: true }).waitFor()
  await addHeldTask('Of the admin')
  await page.goto('about:blank')
  await page.unroute(block)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  // Writes are sent in the order in which they were made: the member's would come first.
  await expect.poll(async () => (await savedTitles(fixture)).length).toBe(2)
  assert.deepEqual(await savedTitles(fixture), ['First', 'Of the admin'])

  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.context().addCookies(member)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect.poll(() => savedTitles(fixture)).toEqual(['First', 'Of the admin', 'Of the member'])
})

browserTest(
  'keeps an unsaved task in the list when a colleague changes the list',
  async (fixture) => {
    await seedTasks(fixture, 1, () => ({ title: 'First' }))
    const page = await openList(fixture, 'First')
    await routeRequests(page, '**/api/v1/tasks', (route) =>
      route.request().method() === 'POST' ? undefined : route.fallback(),
    )
    await addTask(page, 'Not saved yet')
    await expect(page.getByText('Not saved yet', { exact: true })).toBeVisible()
    const body = { project_id: fixture.team.project, title: 'By a colleague' }
    await fixture.ask('owner', 'POST /api/v1/tasks', body)
    await expect(page.getByText('By a colleague', { exact: true })).toBeVisible()
    await expect(page.getByText('Not saved yet', { exact: true })).toBeVisible()
  },
)

browserTest('resumes a change in one of two pages that open at the same time', async (fixture) => {
  const { team, allow } = fixture
  allow(CONNECTION_ERRORS)
  const [task] = await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Other' }))
  const page = await openList(fixture, 'First')
  const context = page.context()
  const address = `**/api/v1/tasks/${task?.id}`
  const holdChanges = (route: Route) =>
    route.request().method() === 'GET' ? route.fallback() : undefined
  const isChange = (request: Request) => request.method() === 'PATCH'
  // Held and not offline, because a page that ends can have the network again for a moment.
  await routeRequests(page, address, holdChanges)
  const isHeld = page.waitForRequest(isChange)
  await renameTask(page, 'First', 'Mine')
  await isHeld
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  await page.goto('about:blank')
  await page.close()
  const [early, late] = [await context.newPage(), await context.newPage()]

  // One page finds out which others are open just before the other one opens.
  await late.addInitScript(() => {
    const { query } = LockManager.prototype
    LockManager.prototype.query = async function () {
      const locks = await query.call(this)
      await new Promise((resolve) => Object.assign(window, { claim: resolve }))
      return locks
    }
  })
  const sent: string[] = []
  late.on('request', (request) => {
    if (isChange(request)) sent.push(request.postData() ?? '')
  })
  await late.goto(`/w/${team.workspace}/p/ENG`)
  await late.waitForFunction(() => Reflect.has(window, 'claim'))
  await early.route(address, holdChanges)
  const isResumed = early.waitForRequest(isChange)
  await early.goto(`/w/${team.workspace}/p/ENG`)
  await isResumed
  await late.evaluate(() => Reflect.get(window, 'claim')())
  await renameTask(late, 'Other', 'Renamed')
  await expect.poll(() => savedTitles(fixture)).toEqual(['First', 'Renamed'])
  // A page that ends before the reply arrived would rightly send the change again.
  await expect.poll(() => countStoredMutations(late)).toBe(1)
  // Nor does a page that opens later take what an open one is still sending.
  await late.reload()
  await late.waitForFunction(() => Reflect.has(window, 'claim'))
  await late.evaluate(() => Reflect.get(window, 'claim')())
  await renameTask(late, 'Renamed', 'Again')
  await expect.poll(() => savedTitles(fixture)).toEqual(['First', 'Again'])
  assert.deepEqual(
    sent,
    ['Renamed', 'Again'].map((title) => JSON.stringify({ title })),
  )
})
