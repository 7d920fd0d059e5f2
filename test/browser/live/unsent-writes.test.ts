import assert from 'node:assert/strict'
import type { Page, Request, Route } from '@playwright/test'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { CONNECTION_ERRORS, openList } from '../support/page-actions.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

const savedTitles = async ({ list, team }: BrowserFixture): Promise<string[]> => {
  const address = `GET /api/v1/projects/${team.project}/tasks?sort=created_at`
  return (await list<{ title: string }>(address)).map(({ title }) => title)
}

async function renameTask(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('row', { name: new RegExp(from) }).press('e')
  await page.getByRole('textbox', { name: 'Title' }).fill(to)
  await page.keyboard.press('Enter')
}

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

async function addComment(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a comment. Use @ to mention someone' }).click()
  await page.getByLabel('Comment', { exact: true }).fill(text)
  await page.keyboard.press('ControlOrMeta+Enter')
  // While the editor is open, keys are text and not shortcuts.
  await page.getByRole('button', { name: 'Add a comment. Use @ to mention someone' }).waitFor()
}

/** Writes a comment in another tab, which is closed before the comment is sent. */
async function leaveCommentInClosedTab(page: Page, id: string, text: string): Promise<void> {
  const tab = await page.context().newPage()
  tab.on('dialog', (dialog) => dialog.accept())
  await tab.goto(page.url())
  await tab.getByRole('heading', { level: 1, name: 'One' }).waitFor()
  const address = `**/api/v1/tasks/${id}/comments`
  await routeRequests(tab, address, (route) =>
    route.request().method() === 'POST' ? undefined : route.fallback(),
  )
  const isHeld = tab.waitForRequest((request) => request.method() === 'POST')
  await addComment(tab, text)
  await isHeld
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  await tab.goto('about:blank')
  await tab.close()
  // A page that ends holds its lock a moment longer.
  const countOpenPages = async () => {
    const { held = [] } = await navigator.locks.query()
    return held.filter(({ name }) => name?.startsWith('docket-writes-')).length
  }
  await expect.poll(() => page.evaluate(countOpenPages)).toBe(1)
}

browserTest('a tab that stays open sends the comment of a closed tab once', async (fixture) => {
  const { as, team, list, allow } = fixture
  allow(CONNECTION_ERRORS)
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'One' }))
  const id = task?.id ?? ''
  const page = await as('member')
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  await page.getByRole('heading', { level: 1, name: 'One' }).waitFor()
  const thread = page.getByRole('region', { name: 'Activity' })
  const sent: string[] = []
  const release = Promise.withResolvers<void>()
  await routeRequests(page, `**/api/v1/tasks/${id}/comments`, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    sent.push(route.request().postData() ?? '')
    await release.promise
    await route.continue()
  })
  await leaveCommentInClosedTab(page, id, 'Left behind')
  await page.clock.fastForward(60_000)
  await expect(thread.getByText('Sending …')).toBeVisible()
  await expect.poll(() => sent.length).toBe(1)
  // It is taken over once, however often the page looks for more.
  await page.clock.fastForward(60_000)
  release.resolve()
  await expect(thread.getByText('Sending …')).toBeHidden()
  await expect(thread.getByText('Left behind', { exact: true })).toHaveCount(1)
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  const comments = `GET /api/v1/tasks/${id}/comments`
  assert.equal((await list<unknown>(comments)).length, 1)
  assert.equal(sent.length, 1)
})

browserTest('uploads a file that was attached offline in a closed tab', async (fixture) => {
  const { as, team, list, allow } = fixture
  allow(CONNECTION_ERRORS, 429)
  const [task] = await seedTasks(fixture, 1)
  const address = `/w/${team.workspace}/t/${task?.short_id}`
  const buffer = Buffer.from('What is in the file')
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer })
  const page = await as('member')
  const context = page.context()
  await page.goto(address)
  const input = (page: Page) =>
    page.getByRole('region', { name: 'Attachments' }).locator('input[type=file]')
  await input(page).waitFor({ state: 'attached' })
  await context.setOffline(true)
  await input(page).setInputFiles(file('kept.txt'))
  await expect(page.getByText('kept.txt')).toBeVisible()
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  await page.close()
  await context.setOffline(false)

  const next = await context.newPage()
  // The first request reaches the server, but its page ends before the reply.
  const isSent = Promise.withResolvers<void>()
  const uploads = `**/api/v1/tasks/${task?.id}/attachments?filename=*`
  await next.route(uploads, async (route) => {
    await route.fetch()
    isSent.resolve()
  })
  await next.goto(address)
  await isSent.promise
  await next.close()
  const last = await context.newPage()
  await last.goto(address)
  await expect(last.getByRole('link', { name: 'kept.txt' })).toBeVisible()
  await expect.poll(() => countStoredMutations(last)).toBe(0)
  const data = await list<{ size_bytes: number; filename: string }>(
    `GET /api/v1/tasks/${task?.id}/attachments`,
  )
  assert.deepEqual(data.map(({ size_bytes, filename }) => [size_bytes, filename]).toSorted(), [
    [buffer.length, 'kept.txt'],
  ])
})

browserTest('sends a deletion at once, and what is typed as its page is left', async (fixture) => {
  const { as, ask, list, team, allow } = fixture
  // The next page sends what the last one may have sent, by the version that it has read since.
  allow(412, CONNECTION_ERRORS)
  const tags = `/api/v1/projects/${team.project}/tags`
  await ask('owner', `POST ${tags}`, { name: 'ops' })
  const [task] = await seedTasks(fixture, 1, () => ({
    title: 'First',
    custom_fields: { customer: 'Acme' },
  }))
  const readNames = async () =>
    (await list<{ name: string }>(`GET ${tags}`)).map(({ name }) => name)
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/p/ENG/settings?tab=tags`)
  // By then all that sends writes is loaded.
  await page.getByLabel('Rename ops').fill('operations')
  await page.getByLabel('Rename ops').press('Enter')
  await expect.poll(readNames).toEqual(['operations'])
  await page.getByRole('button', { name: 'Delete operations' }).click()
  await expect.poll(readNames).toEqual([])

  const readTask = () =>
    ask<{ title: string; custom_fields: object }>('owner', `GET /api/v1/tasks/${task?.id}`)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('Live').waitFor()
  await page.getByRole('row', { name: /First/ }).press('e')
  await page.getByRole('textbox', { name: 'Title' }).fill('Second')
  await page.reload()
  await expect.poll(async () => (await readTask()).title).toBe('Second')
  await page.getByText('Live').waitFor()
  await page.getByRole('row', { name: /Second/ }).press('Enter')
  await page.getByRole('button', { name: /^customer: / }).click()
  await page.getByRole('textbox', { name: /^customer: / }).fill('Globex')
  await page.reload()
  await expect.poll(async () => (await readTask()).custom_fields).toEqual({ customer: 'Globex' })
})

/** The server accepts 65,536 characters. */
const TOO_LONG = `Far too long ${'and longer '.repeat(6_000)}`

browserTest('keeps a refused text over a reload, until it is replaced', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(403, 404, 412, 422, CONNECTION_ERRORS)
  const [task] = await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Other' }))
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  await page.getByRole('heading', { level: 1, name: 'First' }).waitFor()
  const writeDescription = async (text: string) => {
    await page.keyboard.press('Shift+E')
    const editor = page.getByLabel('Description', { exact: true })
    await editor.fill(text)
    await editor.press('ControlOrMeta+Enter')
    await expect(editor).toBeHidden()
  }
  const copy = page.getByRole('button', { name: 'Copy text' })
  await writeDescription(TOO_LONG)
  await expect(copy).toBeVisible()
  await page.reload()
  await expect(page.getByText(/Far too long/).first()).toBeVisible()
  // A phone shows all that can be done about it, too.
  await page.setViewportSize({ width: 360, height: 740 })
  for (const name of ['Retry', 'Copy text', 'Discard'])
    await expect(page.getByRole('button', { name })).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 1280, height: 720 })
  await writeDescription('Short enough')
  const path = `/api/v1/tasks/${task?.id}`
  await expect
    .poll(async () => (await ask('owner', `GET ${path}`)).description)
    .toBe('Short enough')
  await expect(copy).toBeHidden()
  await expect(page.getByText(/Far too long/)).toHaveCount(0)
})

browserTest('creates subtasks of, moves beside and times an unsaved task', async (fixture) => {
  const { list, team } = fixture
  await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Second' }))
  const page = await openList(fixture, 'First')
  const rowOf = (title: string) => page.getByRole('row', { name: new RegExp(title) })
  const typeTask = async (title: string) => {
    const field = page.getByRole('combobox', { name: /new task|subtask/i })
    await field.fill(title)
    await field.press('Enter')
    await rowOf(title).waitFor()
  }
  // By then the field and all that sends writes are loaded.
  await page.keyboard.press('n')
  await typeTask('Third')
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  await page.context().setOffline(true)
  await expect(page.getByText('You are offline')).toBeVisible()
  await typeTask('Unsaved')
  await page.keyboard.press('Escape')
  // It is opened only once it is saved.
  await rowOf('Unsaved').press('Enter')
  await expect(rowOf('Unsaved')).toBeFocused()
  assert.ok(!page.url().includes('task='), page.url())
  await rowOf('Third').press('Alt+ArrowDown')
  await expect(rowOf('Third').locator('xpath=preceding-sibling::*[1]')).toContainText('Unsaved')
  await rowOf('Unsaved').press('Shift+S')
  await expect(page.getByText(/^Timer started/)).toBeVisible()
  await rowOf('Unsaved').press('Shift+C')
  await typeTask('Below it')
  await page.context().setOffline(false)
  await expect.poll(() => countStoredMutations(page)).toBe(0)

  const address = `GET /api/v1/projects/${team.project}/tasks?sort=position`
  const data = await list<{ id: string; title: string; parent_id: string | null }>(address)
  const saved = data.find(({ title }) => title === 'Unsaved')
  const top = data.filter(({ parent_id }) => parent_id === null)
  assert.deepEqual(
    top.map(({ title }) => title),
    ['First', 'Second', 'Unsaved', 'Third'],
  )
  assert.equal(data.find(({ title }) => title === 'Below it')?.parent_id, saved?.id)
  const timers = `GET /api/v1/tasks/${saved?.id}/time-entries?running=true`
  assert.equal((await list<unknown>(timers)).length, 1)
  await page.keyboard.press('Escape')
  await rowOf('Unsaved').press('Enter')
  await expect(page).toHaveURL(/task=ENG-4/)
})
