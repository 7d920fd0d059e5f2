import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { dropTimers } from '../support/drop-timers.ts'
import { expect } from '../support/expect.ts'
import { waitForCopies } from '../support/reads/copies.ts'
import { holdReads } from '../support/reads/hold-reads.ts'
import { startInterception } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

const CONNECTION_ERRORS =
  /ERR_(CONNECTION|FAILED|INCOMPLETE|EMPTY|INTERNET|TIMED)|net::|Failed to fetch|is not responding/
/** After this time without an answer the service worker returns its copy of the page. */
const PAGE_TIMEOUT_MS = 400
/** After this time without an answer a page tells that its data comes from the cache. */
const ANSWER_TIMEOUT_MS = 4_000
/** After this time a page goes on without a cache that does not open. */
const OPEN_TIMEOUT_MS = 3_000
/** After this time a page registers the service worker. */
const WORKER_DELAY_MS = 2_000
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

browserTest(
  'shows opened tasks offline, also after a reload, with the time of the cached data',
  async (fixture) => {
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

    await page.context().setOffline(true)
    await page.reload()
    await expect(page.getByText('First', { exact: true })).toBeVisible()
    await expect(page.getByText('Other 2', { exact: true })).toBeVisible()
    await expect(page.getByText(CACHED_DATA_NOTICE)).toBeVisible()
    await assertAccessible(page)
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
  },
)

browserTest(
  'a whole project that was opened once is read, filtered and changed offline, also after a reload',
  async (fixture) => {
    const { ask } = fixture
    const tasks = await seedTasks(fixture, 150, (n) => ({
      title: n === 0 ? 'First' : `Task ${n + 1}`,
      status: 'todo',
      priority: n < 140 ? 'low' : 'high',
    }))
    const page = await openWithServiceWorker(fixture)
    await waitForCopies(page, [/boot$/, / tasks prj_\w+$/])
    // The browser keeps the code of menus once they were opened.
    await page.getByRole('button', { name: /^Group/ }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: /First/ }).press('e')
    await page.keyboard.press('Escape')
    await waitForFiles(page)

    await page.context().setOffline(true)
    await page.reload()
    await expect(page.getByText(CACHED_DATA_NOTICE)).toBeVisible()
    await expect(page.getByText('tasks, 150 open')).toBeVisible()
    await page.locator('.scroll').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await expect(page.getByText('Task 150', { exact: true })).toBeVisible()
    const rename = async (title: string, to: string) => {
      await page.getByRole('row', { name: title }).press('e')
      await page.getByRole('textbox', { name: 'Title' }).fill(to)
      await page.keyboard.press('Enter')
    }
    await rename('Task 150', 'Renamed on the train')
    await expect(page.getByText('1 change will be sent')).toBeVisible()
    await page.goto(`${new URL(page.url()).pathname}?f=priority%3Ahigh&group=priority`)
    await expect(page.getByText('Renamed on the train', { exact: true })).toBeVisible()
    await expect(page.locator('[data-number]')).toHaveCount(10)
    await rename('Task 141', 'Renamed after a reload')
    await expect(page.getByText('2 changes will be sent')).toBeVisible()

    await page.context().setOffline(false)
    const titles = () =>
      Promise.all(
        [149, 140].map(
          async (at) =>
            (await ask<{ title: string }>('owner', `GET /api/v1/tasks/${tasks[at]?.id}`)).title,
        ),
      )
    await expect.poll(titles).toEqual(['Renamed on the train', 'Renamed after a reload'])
    await expect(page.getByText(CACHED_DATA_NOTICE)).toBeHidden()
  },
)

browserTest('a connection without answers shows the cached data after a while', async (fixture) => {
  const { as, ask, team } = fixture
  const [first] = await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Second' }))
  const page = await as('member')
  await page.clock.install()
  const list = `/w/${team.workspace}/p/ENG`
  await page.goto(list)
  await expect(page.getByText('First', { exact: true })).toBeVisible()
  await waitForCopies(page, [/boot$/, / tasks prj_\w+$/])

  const answer = await holdReads(page)
  await page.goto(list)
  await expect(page.getByText('First', { exact: true })).toBeVisible()
  await ask('owner', `PATCH /api/v1/tasks/${first?.id}`, { title: 'Renamed' })
  await page.clock.runFor(ANSWER_TIMEOUT_MS)
  await expect(page.getByText('First', { exact: true })).toBeVisible()
  await expect(page.getByText(CACHED_DATA_NOTICE)).toBeVisible()
  // Later requests do not wait again.
  await page.getByRole('link', { name: 'ENG-2' }).click()
  await expect(page.getByRole('heading', { name: 'Second' })).toBeVisible()

  answer()
  await expect(page.getByText('Renamed', { exact: true })).toBeVisible()
  await expect(page.getByText(CACHED_DATA_NOTICE)).toBeHidden()

  // In a browser that blocks storage, a late answer is shown all the same.
  await page.addInitScript(() => {
    navigator.serviceWorker.register = () => {
      Object.assign(window, { hasRegistered: true })
      return Promise.reject(new Error('The operation is insecure'))
    }
    const open = (openedDatabase: string) => {
      Object.assign(window, { openedDatabase })
      return {}
    }
    Object.assign(IDBFactory.prototype, { open })
  })
  const answerLate = await holdReads(page)
  await page.goto(list)
  await page.clock.runFor(ANSWER_TIMEOUT_MS)
  const readOpenedDatabase = () => page.evaluate(() => Reflect.get(window, 'openedDatabase'))
  await expect.poll(readOpenedDatabase).toBe('docket-kept')
  answerLate()
  await page.clock.runFor(OPEN_TIMEOUT_MS)
  await expect(page.getByText('Renamed', { exact: true })).toBeVisible()
  await page.clock.runFor(WORKER_DELAY_MS)
  await expect.poll(() => page.evaluate(() => Reflect.has(window, 'hasRegistered'))).toBe(true)
})

browserTest('a page from the service worker does not wait for an answer again', async (fixture) => {
  await seedTasks(fixture, 1, () => ({ title: 'First' }))
  const page = await openWithServiceWorker(fixture)
  await waitForCache(page)
  const answer = await holdReads(page)
  await page.context().setOffline(true)
  // The page has no time to wait for an answer.
  await page.addInitScript(dropTimers, [PAGE_TIMEOUT_MS])
  await page.reload()
  await expect(page.getByText('First', { exact: true })).toBeVisible()
  await page.context().setOffline(false)
  answer()
  await expect(page.getByText(CACHED_DATA_NOTICE)).toBeHidden()
})

browserTest('the offline cache keeps the newest 3,000 replies', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 30, (n) => ({ title: `Task ${n + 1}` }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByRole('link', { name: 'Task 1', exact: true }).waitFor()
  await waitForCache(page)
  await page.evaluate(addOldReplies, 3_100)
  // Each task that is opened is kept with its comments, time and history.
  await page.getByRole('link', { name: 'Task 1', exact: true }).click()
  for (let number = 1; number <= 30; number += 1) {
    const task = page.getByRole('region', { name: `Task ENG-${number}`, exact: true })
    await expect(task.getByText('created this task')).toBeVisible()
    await page.keyboard.press('.')
  }
  // What is more is deleted after each hundred writes.
  await expect
    .poll(async () => {
      const { all, hasOldest } = await page.evaluate(countReplies)
      return all >= 3_000 && all < 3_100 && !hasOldest
    })
    .toBe(true)
})

/** Runs in the page: adds replies that are older than those of the page. */
async function addOldReplies(count: number): Promise<void> {
  const request = indexedDB.open('docket-kept')
  await new Promise((resolve) => request.addEventListener('success', resolve))
  const transaction = request.result.transaction('replies', 'readwrite')
  const owner = localStorage.getItem('docket.kept-place')
  for (let at = 1; at <= count; at++)
    transaction.objectStore('replies').put({ key: `${owner} old ${at}`, at, size: 1, text: '' })
  await new Promise((resolve) => transaction.addEventListener('complete', resolve))
  request.result.close()
}

/** Runs in the page: how many replies there are, and whether the oldest is among them. */
async function countReplies(): Promise<{ all: number; hasOldest: boolean }> {
  const request = indexedDB.open('docket-kept')
  await new Promise((resolve) => request.addEventListener('success', resolve))
  const transaction = request.result.transaction('replies')
  const keys = transaction.objectStore('replies').getAllKeys()
  await new Promise((resolve) => transaction.addEventListener('complete', resolve))
  request.result.close()
  return {
    all: keys.result.length,
    hasOldest: keys.result.some((key) => String(key).endsWith(' old 1')),
  }
}

browserTest('signing out clears the offline cache and keeps the theme', async (fixture) => {
  const { team, docket } = fixture
  await seedTasks(fixture, 1, () => ({ title: 'First' }))
  const page = await openWithServiceWorker(fixture)
  await waitForCache(page)
  const readTexts = () =>
    page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const request = indexedDB.open('docket-kept')
          request.onsuccess = () => {
            const all = request.result.transaction('replies').objectStore('replies').getAll()
            all.onsuccess = () => {
              request.result.close()
              resolve(JSON.stringify(all.result))
            }
          }
        }),
    )
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
  assert.ok(docket.url)
})

browserTest(
  'the service worker never serves an old app while the server answers',
  async (fixture) => {
    await seedTasks(fixture, 1, () => ({ title: 'First' }))
    const page = await openWithServiceWorker(fixture)
    const [worker] = page.context().serviceWorkers()
    assert.ok(worker)
    await worker.evaluate(dropTimers, [PAGE_TIMEOUT_MS])
    // A reload must not show the cached page while the server answers.
    await page.evaluate(async () => {
      const cache = await caches.open('docket-page')
      await cache.put(
        '/',
        new Response('<p>An old app</p>', { headers: { 'content-type': 'text/html' } }),
      )
    })
    await page.reload()
    await expect(page.getByText('First', { exact: true })).toBeVisible()
    await page.context().setOffline(true)
    await page.reload()
    await expect(page.getByText('First', { exact: true })).toBeVisible()
  },
)

/** Runs in the page: the files of the app that are not kept. */
async function listMissingFiles(): Promise<string[]> {
  const chunks: Record<string, { file: string }> = await (await fetch('/app/files.json')).json()
  const kept = (await (await caches.open('docket-files')).keys()).map(({ url }) => url)
  return Object.values(chunks)
    .map(({ file }) => `${location.origin}/app/${file}`)
    .filter((url) => !kept.includes(url))
}

browserTest('opens tasks and views offline that were never opened before', async (fixture) => {
  await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Second' }))
  const page = await openWithServiceWorker(fixture)
  await waitForCopies(page, [/boot$/, / tasks prj_\w+$/])
  await expect.poll(() => page.evaluate(listMissingFiles)).toEqual([])

  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'ENG-2' }).click()
  await expect(page.getByRole('heading', { name: 'Second' })).toBeVisible()
  await page.getByRole('link', { name: 'Board', exact: true }).click()
  await expect(page.getByRole('region', { name: 'To do', exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Calendar', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Next', exact: true })).toBeVisible()
})

browserTest('a screen that cannot be loaded leaves the others usable', async (fixture) => {
  const { as, team, allow } = fixture
  allow(CONNECTION_ERRORS)
  await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Second' }))
  const page = await as('member')
  // The page would preload them in a quiet moment.
  await startInterception(page)
  const screens = /\/assets\/(task-detail|board-screen)-[^/]+\.js$/
  await page.route(screens, (route) => route.abort())
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('First', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'ENG-2' }).click()
  const panel = page.getByRole('complementary', { name: 'ENG-2' })
  await expect(panel).toContainText('Docket is not responding.')
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await page.getByRole('link', { name: 'Board', exact: true }).click()
  await expect(page.getByRole('main')).toContainText('Docket is not responding.')
  await page.goBack()
  await expect(page.getByText('First', { exact: true })).toBeVisible()

  await page.goForward()
  await page.unroute(screens)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('region', { name: 'To do', exact: true })).toBeVisible()
})
