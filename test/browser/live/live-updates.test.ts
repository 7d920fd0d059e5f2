import assert from 'node:assert/strict'
import type { Page, Request } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { noonToday, seedTasks } from '../support/seed.ts'

const CONNECTION_ERRORS = /ERR_|Failed to load resource/

browserTest(
  'shows a change of one browser in the other without moving the list or the focus',
  async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 60, (n, { people }) => ({
      title: `Errand ${n + 1}`,
      assignee_ids: [people.member.id, people.owner.id],
    }))
    const searchPage = await as('member')
    const myWorkPage = await as('owner')
    await myWorkPage.goto(`/w/${team.workspace}/my`)
    await searchPage.goto(`/w/${team.workspace}/search?q=errand`)
    await expectRows(myWorkPage, 60)
    await expect(rowOf(searchPage, 'Errand 40')).toBeVisible()

    await myWorkPage.locator('.scroll').evaluate((list) => list.scrollTo(0, 40 * 34))
    const link = rowOf(myWorkPage, 'Errand 45').getByRole('link', { name: 'Errand 45' })
    await link.focus()
    await link.scrollIntoViewIfNeeded()
    const before = await focusPosition(myWorkPage)
    await rowOf(searchPage, 'Errand 40')
      .getByRole('button', { name: /Complete or reopen/ })
      .click()
    // It is either shown as completed or already gone from the reloaded list.
    const todo = rowOf(myWorkPage, 'Errand 40').getByRole('button', { name: /^To do/ })
    await expect(todo).toHaveCount(0)
    await expect(link).toBeFocused()
    // A completed task leaves the list when it is reloaded, which may move others by one row.
    assert.ok(Math.abs((await focusPosition(myWorkPage)).top - before.top) <= 34)

    await rowOf(myWorkPage, 'Errand 45')
      .getByRole('button', { name: /Complete or reopen/ })
      .click()
    // The search shows first what has changed last.
    await searchPage.locator('.scroll').evaluate((list) => list.scrollTo(0, 0))
    await expect(statusButton(searchPage, 'Errand 45')).toHaveAccessibleName(/^Done/)
  },
)

browserTest(
  'a page loads the changes that it missed while its server was down',
  { hasOwnServer: true },
  async (fixture) => {
    const { as, team, ask, docket, allow } = fixture
    allow(CONNECTION_ERRORS)
    const tasks = await seedErrands(fixture, 3)
    const page = await as('member')
    // Browsers offer these only to pages that were loaded over https.
    await page.addInitScript(() => {
      Reflect.deleteProperty(Crypto.prototype, 'randomUUID')
      Reflect.deleteProperty(Navigator.prototype, 'locks')
    })
    await page.goto(`/w/${team.workspace}/my`)
    await expect(rowOf(page, 'Errand 3')).toBeVisible()
    await docket.stop('SIGKILL')
    await docket.start()
    await ask('owner', `PATCH /api/v1/tasks/${tasks[0]?.id}`, { title: 'Errand 1, renamed' })
    await ask('owner', `DELETE /api/v1/tasks/${tasks[1]?.id}`)
    await seedTasks(fixture, 1, (_, { people }) => ({
      title: 'Errand 4',
      assignee_ids: [people.member.id],
    }))
    await expect(page.getByText('Errand 1, renamed')).toBeVisible()
    await expect(rowOf(page, 'Errand 4')).toBeVisible()
    await expect(rowOf(page, 'Errand 2')).toHaveCount(0)

    // Live updates continue after the reconnect.
    await ask('owner', `PATCH /api/v1/tasks/${tasks[2]?.id}`, { title: 'Errand 3, later' })
    await expect(page.getByText('Errand 3, later')).toBeVisible()
    await rowOf(page, 'Errand 3, later')
      .getByRole('button', { name: /Complete or/ })
      .click()
    await expect(page.getByText('Completed ENG-3')).toBeVisible()
    await expect
      .poll(async () => {
        const { completed_at } = await ask('owner', `GET /api/v1/tasks/${tasks[2]?.id}`)
        return completed_at
      })
      .not.toBeNull()
  },
)

browserTest(
  'batches the reads for many changes of others, and stays responsive to the keyboard',
  async (fixture) => {
    const { as, team, ask } = fixture
    const tasks = await seedErrands(fixture, 100)
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/my`)
    await expectRows(page, 100)
    let reads = 0
    page.on('request', (request) => {
      if (request.method() === 'GET' && /\/(api|internal)\//.test(request.url())) reads += 1
    })
    const focused = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('*')].indexOf(document.activeElement ?? document.body),
      )
    const startedAt = Date.now()
    for (let round = 0; round < 12; round += 1) {
      const operations = tasks.map(({ id }) => ({
        op: 'update',
        id,
        data: { title: `Errand of round ${round}` },
      }))
      await ask('owner', 'POST /api/v1/tasks/bulk', { operations })
      const before = await focused()
      await page.keyboard.press('Tab')
      await expect.poll(focused).not.toBe(before)
    }
    await expect(page.getByText('Errand of round 11').first()).toBeVisible()
    const seconds = (Date.now() - startedAt) / 1000
    assert.ok(reads <= 4 * (seconds + 2), `${reads} reads in ${seconds} s`)
  },
)

browserTest('shows a task again when its project is visible again at once', async (fixture) => {
  const { as, team } = fixture
  await seedErrands(fixture, 1)
  const [page, owner] = [await as('member'), await as('owner')]
  await owner.goto(`/w/${team.workspace}/my`)
  await page.goto(`/w/${team.workspace}/my`)
  const task = rowOf(page, 'Errand 1')
  await expect(task).toBeVisible()
  const address = `/internal/projects/${team.project}`
  const setVisibility = (visibility: 'private' | 'workspace') =>
    owner.evaluate(
      async ([url, body]) => {
        const headers = { 'content-type': 'application/json' }
        const { ok } = await fetch(url, { method: 'PATCH', headers, body })
        return ok
      },
      [address, JSON.stringify({ visibility })] as const,
    )
  const isMissed = page.waitForResponse(/\/api\/v1\/tasks\?id=/)
  assert.ok(await setVisibility('private'))
  await expect(task).toHaveCount(0)
  // By then the page knows that it cannot read the task, and lets no late reply show it.
  await (await isMissed).finished()
  assert.ok(await setVisibility('workspace'))
  await expect(task).toBeVisible()
})

/** Tasks of the member, Errand 1 and so on. */
const seedErrands = (fixture: BrowserFixture, count: number) =>
  seedTasks(fixture, count, (n, { people }) => ({
    title: `Errand ${n + 1}`,
    assignee_ids: [people.member.id],
  }))

const rowOf = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByText(title, { exact: true }) })
const expectRows = (page: Page, count: number) =>
  expect(page.locator('[data-row]').first()).toHaveAttribute('aria-setsize', String(count))
const statusButton = (page: Page, title: string) =>
  rowOf(page, title).getByRole('button', { name: /Complete or reopen/ })

const focusPosition = (page: Page) =>
  page.evaluate(() => ({ top: document.activeElement?.getBoundingClientRect().top ?? 0 }))

browserTest('connects anew once the machine has slept', async (fixture) => {
  const { as, team, ask } = fixture
  const [first] = await seedTasks(fixture, 1, () => ({ title: 'First' }))
  const page = await as('member')
  await page.clock.install({ time: noonToday() })
  const isStream = (request: Request) => request.url().includes('/internal/changes?after=')
  const opened = page.waitForRequest(isStream)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await opened
  await expect(page.getByText('Live')).toBeVisible()
  const reopened = page.waitForRequest(isStream)
  // The timers of a machine that sleeps stand still. They go on at once, before a sign of life may come.
  const fallsAsleep = (await page.evaluate(() => Date.now())) + 20_000
  await page.clock.pauseAt(fallsAsleep)
  await page.clock.setSystemTime(fallsAsleep + 3_600_000)
  await page.clock.runFor(6_000)
  await reopened
  await page.clock.resume()
  await ask('owner', `PATCH /api/v1/tasks/${first?.id}`, { title: 'Renamed' })
  await expect(page.getByText('Renamed', { exact: true })).toBeVisible()
})
