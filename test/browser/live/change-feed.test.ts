import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { countReads, followFeed } from '../support/feed-reads.ts'
import { seedTasks } from '../support/seed.ts'

browserTest(
  'places the changes of another client from their records, without a read',
  async (fixture) => {
    const { as, team, ask } = fixture
    const tasks = await seedTasks(fixture, 4, (n) => ({
      title: `Errand ${n + 1}`,
      status: n < 2 ? 'todo' : 'in_progress',
    }))
    const [first, second] = tasks
    const page = await as('owner')
    await page.clock.install()
    await page.goto(`/w/${team.workspace}/p/ENG?sort=number`)
    await row(page, 'Errand 4').waitFor()
    await followFeed(page, (title) => ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title }))
    const reads = countReads(page)

    await ask('admin', `PATCH /api/v1/tasks/${first?.id}`, {
      status: 'in_progress',
      title: 'Errand 1',
    })
    await expect.poll(() => titlesInOrder(page)).toEqual([2, 1, 3, 4].map((n) => `Errand ${n}`))
    await seedTasks(fixture, 1, () => ({ title: 'Errand 5', status: 'todo' }))
    await expect.poll(() => titlesInOrder(page)).toEqual([2, 5, 1, 3, 4].map((n) => `Errand ${n}`))
    await ask('admin', `DELETE /api/v1/tasks/${second?.id}`)
    await expect.poll(() => titlesInOrder(page)).toEqual([5, 1, 3, 4].map((n) => `Errand ${n}`))
    // The counts of the sidebar come with the feed, too.
    await page.clock.fastForward(3_000)
    await expect(page.getByRole('link', { name: 'ENG Engineering 4' })).toBeVisible()
    await ask('admin', 'POST /api/v1/tasks', { project_id: team.hidden, title: 'Elsewhere' })
    await expect
      .poll(async () => {
        // In small steps: after a minute without a message the page would connect, and read, anew.
        await page.clock.fastForward(3_000)
        return page.getByRole('link', { name: 'HID Hidden 1' }).isVisible()
      })
      .toBe(true)
    expect(reads()).toEqual([])

    // The feed repeats what the page does itself, which costs nothing more than its list.
    await row(page, 'Errand 5')
      .getByRole('button', { name: /Complete or reopen/ })
      .click()
    await expect(page.getByRole('button', { name: /^Done.*ENG-5/ })).toBeVisible()
    await expect
      .poll(async () => {
        await page.clock.fastForward(3_000)
        return page.getByRole('link', { name: 'ENG Engineering 3' }).isVisible()
      })
      .toBe(true)
    expect(reads().filter((url) => !url.includes('/index?'))).toEqual([])
  },
)

browserTest(
  'a visible tab takes over from a tab that no longer answers, and misses nothing',
  async (fixture) => {
    const { as, team, ask } = fixture
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'One' }))
    const leader = await as('member')
    const list = `/w/${team.workspace}/p/ENG`
    const isLeading = leader.waitForRequest('**/internal/live*')
    await leader.goto(list)
    await isLeading
    await row(leader, 'One').waitFor()
    const follower = await leader.context().newPage()
    await follower.clock.install()
    const streams: string[] = []
    follower.on('request', (request) => {
      if (request.url().includes('/internal/live')) streams.push(request.url())
    })
    await follower.goto(list)
    await row(follower, 'One').waitFor()
    await ask('owner', `PATCH /api/v1/tasks/${task?.id}`, { title: 'Two' })
    await row(follower, 'Two').waitFor()
    expect(streams).toEqual([])

    // It no longer answers, as a suspended tab does not, but has the lock.
    await leader.evaluate(() => {
      BroadcastChannel.prototype.postMessage = () => {}
    })
    await ask('owner', `PATCH /api/v1/tasks/${task?.id}`, { title: 'Three' })
    await row(leader, 'Three').waitFor()
    await expect
      .poll(async () => {
        await follower.clock.runFor(2_000)
        return streams.length
      })
      .toBeGreaterThan(0)
    await row(follower, 'Three').waitFor()
    await ask('owner', `PATCH /api/v1/tasks/${task?.id}`, { title: 'Four' })
    await row(follower, 'Four').waitFor()
    // The former one has noticed, and follows.
    await row(leader, 'Four').waitFor()
  },
)

const row = (page: Page, title: string) => page.locator('[data-number]').filter({ hasText: title })

const titlesInOrder = async (page: Page): Promise<string[]> => {
  const texts = await page.locator('[data-number]').allInnerTexts()
  return texts.map((text) => /Errand \d/.exec(text)?.[0] ?? text)
}
