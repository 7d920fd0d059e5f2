import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { countReads, followFeed } from '../support/reads/feed-reads.ts'
import { holdFeed } from '../support/reads/hold-feed.ts'
import { noonToday, seedTasks } from '../support/seed.ts'

/** More than the first rows of a list. */
const COUNT = 60

const hold = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event('hold-feed')))
const release = (page: Page) =>
  page.evaluate(() => document.dispatchEvent(new Event('release-feed')))

browserTest(
  'counts a change once that a list had when it was read, and of which the feed told after that',
  async (fixture) => {
    const { as, team, ask } = fixture
    const tasks = await seedTasks(fixture, COUNT, (n) => ({
      title: `Errand ${n + 1}`,
      status: 'todo',
      estimate_seconds: 3_600,
    }))
    const [first, second] = tasks
    const page = await as('owner')
    await page.clock.install({ time: noonToday() })
    await page.addInitScript(holdFeed, { fromStart: false })
    await page.goto(`/w/${team.workspace}/p/ENG?sort=number`)
    await page.locator('[data-number="1"]').waitFor()
    // By its title this task is not among the first rows, which would show it as it is by then.
    await followFeed(page, (title) => ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title }))

    await hold(page)
    await ask('admin', `PATCH /api/v1/tasks/${first?.id}`, {
      status: 'done',
      estimate_seconds: 7_200,
    })
    const root = page.locator('html')
    await expect(root).toHaveAttribute('data-held-tasks', '1')
    await expect(root).toHaveAttribute('data-notices', '1')
    await page.getByRole('button', { name: /^Sort/ }).click()
    await page.locator('[role^="menuitem"]').filter({ hasText: 'Title' }).click()
    const sums = page.getByText(`tasks, ${COUNT - 1} open, 0:00 spent of 61:00 estimated`)
    await expect(sums).toBeVisible()
    await ask('admin', `PATCH /api/v1/tasks/${second?.id}`, { title: 'A last errand' })
    await expect(root).toHaveAttribute('data-held-tasks', '2')
    await release(page)
    await page.getByText('A last errand').waitFor()
    await expect(sums).toBeVisible()
  },
)

browserTest(
  'places a task anew that was opened after a change, before the feed tells of it',
  async (fixture) => {
    const { as, team, ask } = fixture
    const tasks = await seedTasks(fixture, 3, (n) => ({
      title: `Errand ${n + 1}`,
      status: n === 0 ? 'todo' : 'in_progress',
    }))
    const [first, second] = tasks.map(({ id }) => id)
    const page = await as('owner')
    await page.clock.install({ time: noonToday() })
    await page.addInitScript(holdFeed, { fromStart: false })
    await page.goto(`/w/${team.workspace}/p/ENG?sort=number`)
    const row = page.locator('[data-number="1"]')
    await row.waitFor()
    await followFeed(page, (title) => ask('admin', `PATCH /api/v1/tasks/${second}`, { title }))
    const reads = countReads(page)

    await hold(page)
    await ask('admin', `PATCH /api/v1/tasks/${first}`, { status: 'done' })
    await expect(page.locator('html')).toHaveAttribute('data-held-tasks', '1')
    await expect(row.getByRole('button', { name: /^Todo/ })).toBeVisible()
    await row.getByRole('link', { name: 'Errand 1' }).click()
    await expect(row.getByRole('button', { name: /^Done/ })).toBeVisible()
    await expect(page.getByText('tasks, 2 open,')).toBeVisible()
    await expect(page.getByRole('row', { name: /^Todo/ })).toHaveCount(0)
    await release(page)
    await ask('admin', `PATCH /api/v1/tasks/${first}`, { title: 'Errand at last' })
    await expect(row.getByText('Errand at last')).toBeVisible()
    await expect(page.getByText('tasks, 2 open,')).toBeVisible()
    expect(reads().filter((url) => url.includes('/index?'))).toEqual([])
  },
)
