import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { dropTimers } from '../support/drop-timers.ts'
import { expect } from '../support/expect.ts'
import { readCopies, waitForCopies } from '../support/reads/copies.ts'
import { followFeed } from '../support/reads/feed-reads.ts'
import { holdReads } from '../support/reads/hold-reads.ts'
import { routeRequests } from '../support/route-requests.ts'
import { joinSecondWorkspace } from '../support/second-workspace.ts'
import { noonToday, seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

const CACHED_DATA_NOTICE = /Showing data from/
/** After this time without an answer a page says that its data comes from the cache. */
const UNANSWERED_DELAY_MS = 4_000

const text = (page: Page, title: string) => page.getByText(title, { exact: true })

/** Opens the list, leaves it once the browser has kept it, and holds what is read from then on. */
async function leaveListWithCopy({ as, team }: BrowserFixture) {
  const page = await as('member')
  const list = `/w/${team.workspace}/p/ENG`
  await page.goto(list)
  await expect(text(page, 'First')).toBeVisible()
  await waitForCopies(page, [/boot$/, / tasks prj_\w+$/])
  const answer = await holdReads(page)
  await page.goto('/docs')
  return { page, list, answer }
}

browserTest(
  'a page that opens shows what the browser has kept, and the requests under way make it exact',
  async (fixture) => {
    const { team, ask } = fixture
    const [first, second, third] = await seedTasks(fixture, 3, (n) => ({
      title: ['First', 'Second', 'Third'][n],
      status: 'todo',
    }))
    const { page, list, answer } = await leaveListWithCopy(fixture)
    await ask('owner', `PATCH /api/v1/tasks/${first?.id}`, { title: 'First, renamed' })
    await ask('owner', `PATCH /api/v1/tasks/${second?.id}`, { status: 'done' })
    await ask('owner', `DELETE /api/v1/tasks/${third?.id}`)
    await ask('owner', 'POST /api/v1/tasks', { project_id: team.project, title: 'Fourth' })

    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (/^\/(internal\/(boot|changes|projects\/\w+\/tasks)|api\/v1\/tasks)/.test(pathname))
        asked.push(pathname)
    })
    // However slow the machine is, the answer is not overdue.
    await page.addInitScript(dropTimers, [UNANSWERED_DELAY_MS])
    await page.goto(list)
    const todo = page.getByRole('rowgroup').filter({ hasText: 'To do' })
    for (const title of ['First', 'Second', 'Third']) await expect(text(page, title)).toBeVisible()
    answer()
    await expect(text(page, 'First, renamed')).toBeVisible()
    await expect(text(page, 'Fourth')).toBeVisible()
    await expect(text(page, 'Third')).toBeHidden()
    await expect(todo.getByText('Second')).toBeHidden()
    await expect(page.getByText(CACHED_DATA_NOTICE)).toBeHidden()
    await expect(page.getByText('Live')).toBeVisible()
    assert.deepEqual(asked.toSorted(), ['/internal/boot', '/internal/changes'])

    await ask('owner', `PATCH /api/v1/tasks/${first?.id}`, { title: 'First, renamed again' })
    await expect(text(page, 'First, renamed again')).toBeVisible()
  },
)

browserTest('keeps the projects of all tabs', async (fixture) => {
  const { as, ask, team } = fixture
  await seedTasks(fixture, 1, () => ({ title: 'First' }))
  await ask('owner', 'POST /api/v1/tasks', { project_id: team.hidden, title: 'Second' })
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await waitForCopies(page, [new RegExp(`tasks ${team.project}$`)])
  const other = await page.context().newPage()
  await other.goto(`/w/${team.workspace}/p/HID`)
  await expect(text(other, 'Second')).toBeVisible()
  await waitForCopies(other, [new RegExp(`tasks ${team.hidden}$`)])
})

browserTest(
  'My work, the inbox and a task open from what the browser has kept',
  async (fixture) => {
    const { as, team, ask } = fixture
    const assigned = { title: 'First', assignee_ids: [team.people.member.id] }
    const [first] = await seedTasks(fixture, 1, () => ({ ...assigned, description: 'As read.' }))
    await ask('owner', `POST /api/v1/tasks/${first?.id}/comments`, { body: 'A remark' })
    const page = await as('member')
    const workspace = `/w/${team.workspace}`
    const screens = [
      { path: `${workspace}/my`, shown: 'First', kept: /tasks\?.*assignee_id/ },
      { path: `${workspace}/inbox`, shown: 'A remark', kept: /notifications/ },
      { path: `${workspace}/t/${first?.short_id}`, shown: 'A remark', kept: /comments/ },
    ]
    for (const { path, shown, kept } of screens) {
      await page.goto(path)
      await expect(page.getByText(shown).first()).toBeVisible()
      await waitForCopies(page, [/boot$/, kept])
    }
    const answer = await holdReads(page)
    for (const { path, shown } of screens) {
      await page.goto(path)
      await expect(page.getByText(shown).first()).toBeVisible()
    }
    await ask('owner', `PATCH /api/v1/tasks/${first?.id}`, { title: 'First, renamed' })
    await ask('owner', `POST /api/v1/tasks/${first?.id}/comments`, { body: 'Another remark' })
    answer()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('First, renamed')
    await expect(text(page, 'Another remark')).toBeVisible()
  },
)

browserTest('a task that the answer lacks is read again by itself', async (fixture) => {
  const { as, team, ask } = fixture
  const mine = { assignee_ids: [team.people.member.id] }
  const [parent, other] = await seedTasks(fixture, 2, (n) => ({
    title: ['Parent', 'Other'][n],
    ...mine,
  }))
  const [child] = await seedTasks(fixture, 1, () => ({ title: 'Child', parent_id: parent?.id }))
  const page = await as('member')
  const paths = [`/w/${team.workspace}/my`, `/w/${team.workspace}/t/${parent?.short_id}`]
  // A copy is written a moment after its answer is shown, and a page that is left writes none.
  await page.goto(paths[0] ?? '')
  await expect(page.getByText('Other').first()).toBeVisible()
  await waitForCopies(page, [/boot$/, /tasks\?.*assignee_id/])
  await page.goto(paths[1] ?? '')
  await expect(page.getByText('Child').first()).toBeVisible()
  await waitForCopies(page, [/ tasks prj_\w+$/])
  const answer = await holdReads(page)
  await page.goto(paths[0] ?? '')
  await expect(text(page, 'Other')).toBeVisible()
  await page.goto(paths[1] ?? '')
  await expect(text(page, 'Child')).toBeVisible()
  await ask('owner', `DELETE /api/v1/tasks/${child?.id}`)
  await ask('owner', `PATCH /api/v1/tasks/${other?.id}`, {
    title: 'Other, renamed',
    assignee_ids: [],
  })
  answer()
  await expect(text(page, 'Child')).toBeHidden()
})

browserTest(
  'a page that opens shows what the last one has shown, with all changes since it was read',
  async (fixture) => {
    const { as, team, ask } = fixture
    const [, second] = await seedTasks(fixture, 2, (n) => ({
      title: ['First', 'Second'][n],
      status: 'todo',
    }))
    const page = await as('member')
    await page.clock.install({ time: noonToday() })
    const list = `/w/${team.workspace}/p/ENG`
    await page.goto(list)
    const done = page.getByRole('rowgroup').filter({ hasText: 'Done' })
    await followFeed(page, (title) => ask('owner', `PATCH /api/v1/tasks/${second?.id}`, { title }))
    await ask('owner', `PATCH /api/v1/tasks/${second?.id}`, {
      title: 'Second, ready',
      status: 'done',
    })
    await expect(done.getByText('Second, ready')).toBeVisible()
    await page.locator('[data-number="1"]').focus()
    await page.keyboard.press('e')
    await page.getByRole('textbox', { name: 'Title of ENG-1' }).fill('First, ready')
    await page.keyboard.press('Enter')
    await page
      .locator('[data-number="1"]')
      .getByRole('button', { name: /Complete or reopen/ })
      .click()
    await expect(done.getByText('First, ready')).toBeVisible()

    const isCopied = (text: string) =>
      /"First, ready".*"Second, ready"/.test(text) && text.match(/"status":"done"/g)?.length === 2
    await expect
      .poll(async () => Object.values(await page.evaluate(readCopies)).some(isCopied))
      .toBe(true)
    await holdReads(page)
    await page.goto(list)
    await expect(done.getByText('First, ready')).toBeVisible()
    await expect(done.getByText('Second, ready')).toBeVisible()
  },
)

browserTest(
  'a page whose session has ended meanwhile shows the sign-in form instead of what the browser has kept',
  async (fixture) => {
    await seedTasks(fixture, 1, () => ({ title: 'First' }))
    const { page, list, answer } = await leaveListWithCopy(fixture)
    fixture.allow(401)
    await page.context().clearCookies()
    await page.goto(list)
    await expect(text(page, 'First')).toBeVisible()
    answer()
    await page.waitForURL('**/sign-in?**')
    await expect(text(page, 'First')).toHaveCount(0)
  },
)

browserTest(
  'what is changed before the answer is merged with what others have changed since the copy',
  async (fixture) => {
    const { ask, allow } = fixture
    allow(412)
    const [first] = await seedTasks(fixture, 1, () => ({ title: 'First', status: 'todo' }))
    const { page, list, answer } = await leaveListWithCopy(fixture)
    const path = `/api/v1/tasks/${first?.id}`
    await ask('owner', `PATCH ${path}`, { priority: 'high' })
    await page.goto(list)
    const refused = page.waitForResponse((reply) => reply.status() === 412)
    await page.locator('[data-number="1"]').focus()
    await page.keyboard.press('e')
    await page.getByRole('textbox', { name: 'Title of ENG-1' }).fill('Second')
    await page.keyboard.press('Enter')
    await refused
    answer()
    await expect
      .poll(async () => {
        const { title, priority } = await ask<Record<string, string>>('owner', `GET ${path}`)
        return [title, priority]
      })
      .toEqual(['Second', 'high'])
    await expect(text(page, 'Second')).toBeVisible()
  },
)

browserTest(
  'a page shows nothing of another workspace that the browser has kept',
  async (fixture) => {
    const { team, docket, allow } = fixture
    // The project that the page preloads is none of the other workspace; later requests are refused.
    allow(404, 409)
    await seedTasks(fixture, 1, () => ({ title: 'First' }))
    const other = await joinSecondWorkspace(docket, team.people.member.id)
    const { page, list, answer } = await leaveListWithCopy(fixture)
    await page.goto(`/w/${other.workspace}/my`)
    // In this time a page shows what the browser has kept of its own workspace.
    await page.waitForTimeout(1_500)
    await expect(page.getByRole('navigation')).toHaveCount(0)
    answer()
    await expect(page.getByText('Tasks belong to a project. Create one to begin.')).toBeVisible()

    // The session goes to the other workspace while no page is open.
    await page.goto(list)
    await expect(text(page, 'First')).toBeVisible()
    await waitForCopies(page, [/boot$/])
    const answerAgain = await holdReads(page)
    await page.goto('/docs')
    const data = { workspace_id: other.workspace }
    await page.request.patch('/internal/session', { headers: { origin: docket.url }, data })
    await page.goto(list)
    await expect(text(page, 'First')).toBeVisible()
    const reloaded = page.waitForEvent('load')
    answerAgain()
    await reloaded
    await expect(text(page, 'First')).toBeVisible()
    await expect(page.getByText('You switched to')).toHaveCount(0)
    const { session } = await (await page.request.get('/internal/boot')).json()
    assert.equal(session.workspace.id, team.workspace)
  },
)

browserTest(
  'a page that is a copy itself looks for a newer version of the app',
  async (fixture) => {
    await seedTasks(fixture, 1, () => ({ title: 'First' }))
    const { page, list, answer } = await leaveListWithCopy(fixture)
    answer()
    const versions: string[] = []
    await page.route('**/sign-in', async (route) => {
      versions.push(route.request().url())
      await route.fulfill({ contentType: 'text/html', body: '<script src="/app/assets/newer.js">' })
    })
    await page.goto(list)
    await expect(text(page, 'First')).toBeVisible()
    // The service worker marks its copy of the page like this.
    await page.addInitScript(() => {
      const serverTiming = { get: () => [{ name: 'cached' }] }
      Object.defineProperty(PerformanceNavigationTiming.prototype, 'serverTiming', serverTiming)
    })
    assert.deepEqual(versions, [])
    await page.reload()
    await expect(page.getByText('A new version of Docket is available')).toBeVisible()
    await expect(text(page, 'First')).toBeVisible()
  },
)

browserTest('deletes what the browser has kept once the right to it has ended', async (fixture) => {
  const { as, ask, team, docket, allow } = fixture
  allow(401, /ERR_FAILED|Failed to fetch/)
  const [lost] = await seedTasks(fixture, 1, () => ({ title: 'Lost' }))
  assert.ok(lost)
  await ask('owner', `POST /api/v1/tasks/${lost.id}/comments`, { body: 'Lost as well' })
  const { request } = await as('owner')
  const headers = { origin: docket.url }
  const data = { name: 'Operations', prefix: 'OPS' }
  const other = await (await request.post('/internal/projects', { headers, data })).json()
  await ask('owner', 'POST /api/v1/tasks', { project_id: other.id, title: 'Kept' })
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/t/${lost.short_id}`)
  await expect(page.getByText('Lost as well')).toBeVisible()
  await waitForCopies(page, [/\/comments/])
  for (const [prefix, title, id] of [
    ['ENG', 'Lost', team.project],
    ['OPS', 'Kept', other.id],
  ] as const) {
    await page.goto(`/w/${team.workspace}/p/${prefix}`)
    await expect(text(page, title)).toBeVisible()
    await waitForCopies(page, [new RegExp(` tasks ${id}$`)])
  }
  await page.goto('/docs')
  const closed = await request.patch(`/internal/projects/${team.project}`, {
    headers,
    data: { visibility: 'private' },
  })
  assert.equal(closed.status(), 200)
  await page.goto(`/w/${team.workspace}/p/OPS`)
  await expect(text(page, 'Kept')).toBeVisible()
  const readAll = async () => JSON.stringify(await page.evaluate(readCopies))
  await expect.poll(async () => /Lost|Engineering/.test(await readAll())).toBe(false)
  assert.match(await readAll(), /Kept/)

  // Without a session nothing is kept but what the server does not have yet.
  await routeRequests(page, '**/api/v1/tasks/*', (route) => route.abort())
  await page.getByRole('row', { name: 'Kept' }).press('e')
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine')
  await page.keyboard.press('Enter')
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  await page.context().clearCookies()
  await page.reload()
  await page.waitForURL('**/sign-in**')
  const readNames = () =>
    page.evaluate(async () => [
      ...(await indexedDB.databases()).map(({ name }) => name),
      ...Object.keys(localStorage).filter((key) => key === 'docket.kept-place'),
    ])
  await expect.poll(readNames).toEqual(['docket-mutations'])
  assert.equal(await countStoredMutations(page), 1)
})
