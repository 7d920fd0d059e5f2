import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { CONNECTION_ERRORS, press } from '../support/page-actions.ts'
import { routeRequests } from '../support/route-requests.ts'
import { expectWithFastClock } from './expect-with-fast-clock.ts'

/** Opens the empty list with a clock that can be advanced, since retries take 10 s in total. */
async function openList({ as, team, allow }: BrowserFixture): Promise<Page> {
  allow(CONNECTION_ERRORS)
  const page = await as('member')
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.getByText('No tasks yet. Create one, or press C.')).toBeVisible()
  return page
}

async function addTask(page: Page, title: string): Promise<void> {
  await press(page, 'Escape', 'n')
  const field = page.getByRole('combobox', { name: /new task/i })
  await field.fill(title)
  await field.press('Enter')
  await page.keyboard.press('Escape')
}

const savedTasks = async ({ list, team }: BrowserFixture) => {
  const address = `GET /api/v1/projects/${team.project}/tasks?sort=created_at`
  return await list<{ title: string; tag_ids: string[] }>(address)
}

const savedTitles = async (fixture: BrowserFixture): Promise<string[]> =>
  (await savedTasks(fixture)).map(({ title }) => title)

browserTest(
  'a task typed while the server is down can be retried and discarded, or is created later',
  { hasOwnServer: true },
  async (fixture) => {
    const { docket } = fixture
    const page = await openList(fixture)
    await addTask(page, 'Before')
    await expect.poll(() => savedTitles(fixture)).toEqual(['Before'])
    await docket.stop('SIGKILL')
    await addTask(page, 'Not after all')
    const discard = page.getByRole('button', { name: 'Discard' })
    await expectWithFastClock(page, discard)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(discard).toBeHidden()
    await expectWithFastClock(page, discard)
    await discard.click()
    await expect(page.getByRole('row', { name: /Not after all/ })).toHaveCount(0)

    await addTask(page, 'Typed in the dark')
    await expectWithFastClock(page, page.getByText('Not saved'))
    await expect(page.getByRole('row', { name: /Typed in the dark/ })).toBeVisible()
    await docket.start()
    await expectWithFastClock(page, page.getByText('Not saved'), 0)
    await expect.poll(() => savedTitles(fixture)).toEqual(['Before', 'Typed in the dark'])
  },
)

browserTest('counts unsent changes offline, and sends each once in order', async (fixture) => {
  const { list, team, allow } = fixture
  // The second task finds the tag of the first.
  allow(409)
  const page = await openList(fixture)
  // The field is loaded while there is a network.
  await addTask(page, 'Before')
  await expect.poll(() => savedTitles(fixture)).toEqual(['Before'])
  await page.context().setOffline(true)
  await expect(page.getByText('You are offline')).toBeVisible()
  await addTask(page, 'One')
  await addTask(page, 'Two')
  await expect(page.getByText('You are offline. 2 changes will be sent')).toBeVisible()
  await addTask(page, 'Fix login #newtag')
  await expect(page.getByRole('row', { name: /Fix login/ })).toBeVisible()
  await addTask(page, 'Fix logout #newtag')
  // The first create is answered into the void, and sent again with its key.
  const keys: (string | undefined)[] = []
  await routeRequests(page, '**/api/v1/tasks', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.fallback()
    await route.fetch()
    await route.abort()
  })
  await page.context().setOffline(false)
  await expect(page.getByText('You are offline')).toBeHidden()
  const readTags = async () => {
    const address = `GET /api/v1/projects/${team.project}/tags`
    return await list<{ id: string; name: string }>(address)
  }
  await expect.poll(async () => (await readTags()).map(({ name }) => name)).toEqual(['newtag'])
  const tag = (await readTags())[0]?.id
  await expect
    .poll(async () => (await savedTasks(fixture)).map(({ title, tag_ids }) => [title, ...tag_ids]))
    .toEqual([['Before'], ['One'], ['Two'], ['Fix login', tag], ['Fix logout', tag]])
  assert.equal(keys[1], keys[0])
})

browserTest('warns that unsent changes are not stored if the browser refuses', async (fixture) => {
  const page = await fixture.as('member')
  fixture.allow(CONNECTION_ERRORS)
  // As in a private window or with blocked site data.
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('Blocked', 'SecurityError')
    }
  })
  await page.goto(`/w/${fixture.team.workspace}/p/ENG`)
  await expect(page.getByText('No tasks yet. Create one, or press C.')).toBeVisible()
  await page.context().setOffline(true)
  await addTask(page, 'Only here')
  const warning = page.getByText('This browser cannot store unsent changes')
  await expect(warning).toBeVisible()
  await page.context().setOffline(false)
  await expect.poll(() => savedTitles(fixture)).toEqual(['Only here'])
  await expect(warning).toBeHidden()

  // A full storage keeps the beginning of a title, and the page says so until the task is created.
  await page.keyboard.press('n')
  const field = page.getByRole('combobox', { name: /new task/i })
  await field.fill('Half')
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('Full', 'QuotaExceededError')
    }
  })
  await field.fill('Half a title')
  await expect(warning).toBeVisible()
  const drafts = () =>
    page.evaluate(() => Object.entries(localStorage).filter(([key]) => /draft/.test(key)))
  assert.match(String(await drafts()), /"text":"Half"/)
  await field.press('Enter')
  await expect(warning).toBeHidden()
  await expect.poll(() => savedTitles(fixture)).toEqual(['Only here', 'Half a title'])
  assert.deepEqual(await drafts(), [])
})
