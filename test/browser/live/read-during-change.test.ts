import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { followFeed } from '../support/reads/feed-reads.ts'
import { holdFeed } from '../support/reads/hold-feed.ts'
import { noonToday, seedTasks } from '../support/seed.ts'

/** More than the first rows of a list. */
const COUNT = 60

browserTest(
  'counts a change once that a list had when it was read, and of which the feed told after that',
  async (fixture) => {
    const { as, team, ask } = fixture
    const tasks = await seedTasks(fixture, COUNT, (n) => ({
      ...{ title: `Errand ${n + 1}`, status: 'todo', estimate_seconds: 3_600 },
    }))
    const [first, second] = tasks
    const page = await as('owner')
    await page.clock.install({ time: noonToday() })
    await page.addInitScript(holdFeed, { fromStart: false })
    await page.goto(`/w/${team.workspace}/p/ENG?sort=number`)
    await page.locator('[data-number="1"]').waitFor()
    // By its title this task is not among the first rows, which would show it as it is by then.
    await followFeed(page, (title) => ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title }))

    await page.evaluate(() => document.dispatchEvent(new Event('hold-feed')))
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
    await page.evaluate(() => document.dispatchEvent(new Event('release-feed')))
    await page.getByText('A last errand').waitFor()
    await expect(sums).toBeVisible()
  },
)
