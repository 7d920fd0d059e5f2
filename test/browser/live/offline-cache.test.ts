import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { readCopies, waitForCopies } from '../support/copies.ts'
import { holdReads, routeRequests, startInterception } from '../support/route-requests.ts'
import { joinSecondWorkspace } from '../support/second-workspace.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

const CONNECTION_ERRORS =
  /ERR_(CONNECTION|FAILED|INCOMPLETE|EMPTY|INTERNET|TIMED)|net::|Failed to fetch|is not responding/
const CACHED_DATA_NOTICE = /Showing data from/

const readBrowserStorage = (page: Page) =>
  page.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name }) => name)
    return { names, own: Object.keys(localStorage).filter((key) => key.startsWith('docket.')) }
  })

/** Waits for the database of the page, which it makes when it is idle. */
const waitForCache = (page: Page) =>
  expect.poll(async () => (await readBrowserStorage(page)).names).toContain('docket-kept')

/** Opens the list of the project and waits until the service worker has cached the app. */
async function openWithServiceWorker({ as, team, allow }: BrowserFixture): Promise<Page> {
  allow(CONNECTION_ERRORS)
  const page = await as('member', { serviceWorkers: 'allow' })
  page.on('dialog', (dialog) => dialog.accept())
  await startInterception(page)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('First', { exact: true }).waitFor()
  await waitForFiles(page)
  return page
}

/** Waits until the service worker has cached the page and all files that it has loaded so far. */
async function waitForFiles(page: Page): Promise<void> {
  const isCached = () =>
    page.evaluate(async () => {
      const pages = await (await caches.open('docket-page')).keys()
      const cached = (await (await caches.open('docket-files')).keys()).map(({ url }) => url)
      const loaded = performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((url) => url.includes('/app/assets/'))
      return pages.length === 1 && loaded.length > 5 && loaded.every((url) => cached.includes(url))
    })
  await expect.poll(isCached).toBe(true)
}

/** Runs in the page: the files of the app that are not kept. */
async function listMissingFiles(): Promise<string[]> {
  const chunks: Record<string, { file: string }> = await (await fetch('/app/files.json')).json()
  const kept = (await (await caches.open('docket-files')).keys()).map(({ url }) => url)
  return Object.values(chunks)
    .map(({ file }) => `${location.origin}/app/${file}`)
    .filter((url) => !kept.includes(url))
}

browserTest('shows tasks and views offline, with the time of the data', async (fixture) => {
  const { team, ask, allow } = fixture
  // Another user changes another field, so the write is applied on top of that version.
  allow(412)
  const [first] = await seedTasks(fixture, 3, (n) => ({
    title: n === 0 ? 'First' : `Other ${n}`,
    description: 'As it was *read*.',
  }))
  assert.ok(first)
  const page = await openWithServiceWorker(fixture)
  await page.goto(`/w/${team.workspace}/t/${first.short_id}`)
  await page.getByText('As it was read.').waitFor()
  await waitForFiles(page)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('First', { exact: true }).waitFor()
  await waitForCopies(page, [/boot$/, / tasks prj_\w+$/])
  await expect.poll(() => page.evaluate(listMissingFiles)).toEqual([])

  await page.context().setOffline(true)
  await page.reload()
  await expect(page.getByText('First', { exact: true })).toBeVisible()
  await expect(page.getByText('Other 2', { exact: true })).toBeVisible()
  await expect(page.getByText(CACHED_DATA_NOTICE)).toBeVisible()
  await assertAccessible(page)
  // So are tasks and views that were never opened before.
  await page.getByRole('link', { name: 'ENG-2' }).click()
  await expect(page.getByRole('heading', { name: 'Other 1' })).toBeVisible()
  await page.getByRole('link', { name: 'Board', exact: true }).click()
  await expect(page.getByRole('region', { name: 'To do', exact: true })).toBeVisible()
  await page.goto(`/w/${team.workspace}/t/${first.short_id}`)
  await expect(page.getByText('As it was read.')).toBeVisible()
  await expect(page.getByText(CACHED_DATA_NOTICE)).toBeVisible()

  // An offline change survives another reload and is merged with a change of another user.
  await page.keyboard.press('e')
  await page.getByLabel('Title').fill('Changed on the train')
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 change will be sent')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Changed on the train')
  await expect(page.getByText('1 change will be sent')).toBeVisible()
  await ask('owner', `PATCH /api/v1/tasks/${first.id}`, { priority: 'high' })
  await page.context().setOffline(false)
  await expect(page.getByText(CACHED_DATA_NOTICE)).toBeHidden()
  const now = () =>
    ask<{ title: string; priority: string }>('owner', `GET /api/v1/tasks/${first.id}`)
  await expect
    .poll(async () => [(await now()).title, (await now()).priority])
    .toEqual(['Changed on the train', 'high'])
})

browserTest('signing out clears the offline cache and keeps the theme', async (fixture) => {
  const { team } = fixture
  await seedTasks(fixture, 1, () => ({ title: 'First' }))
  const page = await openWithServiceWorker(fixture)
  await waitForCache(page)
  const readTexts = async () => JSON.stringify(await page.evaluate(readCopies))
  await expect.poll(readTexts).toMatch(/First/)
  const texts = await readTexts()
  for (const { value } of await page.context().cookies()) assert.ok(!texts.includes(value))

  await page.evaluate(() => localStorage.setItem('docket.theme', 'dark'))
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('Sign out')
  await page.getByRole('option', { name: 'Sign out', exact: true }).click()
  await page.waitForURL('**/sign-in')
  await expect.poll(async () => (await readBrowserStorage(page)).names).toEqual([])
  const copies = async () =>
    (await page.context().cookies()).filter(({ name }) => name === 'docket_copies')
  await expect.poll(copies).toEqual([])
  assert.deepEqual((await readBrowserStorage(page)).own, ['docket.theme'])
  await page.context().setOffline(true)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.getByText('Docket is not responding.')).toBeVisible()
  await expect(page.getByText('First', { exact: true })).toHaveCount(0)
})

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

browserTest('shows no copy of another workspace', async (fixture) => {
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

  await page.goto(list)
  await expect(text(page, 'First')).toBeVisible()
  // A page whose session has ended meanwhile shows the sign-in form instead.
  await waitForCopies(page, [/boot$/])
  const answerAtLast = await holdReads(page)
  await page.goto('/docs')
  allow(401)
  await page.context().clearCookies()
  await page.goto(list)
  await expect(text(page, 'First')).toBeVisible()
  answerAtLast()
  await page.waitForURL('**/sign-in?**')
  await expect(text(page, 'First')).toHaveCount(0)
})

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
  await waitForCopies(page, [/ comments /])
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
