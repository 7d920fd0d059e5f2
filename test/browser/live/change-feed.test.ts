import type { Page, Route } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo, pressUndo } from '../support/keyboard/press-undo.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { countReads, followFeed } from '../support/reads/feed-reads.ts'
import { holdFeed } from '../support/reads/hold-feed.ts'
import { routeRequests, startInterception } from '../support/route-requests.ts'
import { noonToday, seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'
import { expectWithFastClock } from './expect-with-fast-clock.ts'

/** The clock runs fast for less than a minute, in which a page connects anew. */
const SHORTLY = { stepMs: 4_000, steps: 6 }
const LISTS = /\/tasks(\?|$)/

browserTest(
  'places the changes of another client from their records, without a read',
  async (fixture) => {
    const { as, team, ask, allow } = fixture
    allow(CONNECTION_ERRORS)
    const tasks = await seedTasks(fixture, 4, (n) => ({
      title: `Errand ${n + 1}`,
      status: n < 2 ? 'todo' : 'in_progress',
    }))
    const [first, second] = tasks
    const page = await as('owner')
    await page.clock.install({ time: noonToday() })
    await page.goto(`/w/${team.workspace}/p/ENG?sort=number`)
    await row(page, 'Errand 4').waitFor()
    await followFeed(page, (title) => ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title }))
    const reads = countReads(page)

    // No row moves while the pointer is down, which takes the focus from what has it.
    await row(page, 'Errand 4').focus()
    await expect(row(page, 'Errand 4')).toBeFocused()
    await page.getByRole('heading', { level: 1 }).hover()
    await page.mouse.down()
    await ask('admin', `PATCH /api/v1/tasks/${first?.id}`, {
      status: 'in_progress',
      title: 'Errand 1',
    })
    await row(page, 'Errand 1').waitFor()
    expect(await titlesInOrder(page)).toEqual([1, 2, 3, 4].map((n) => `Errand ${n}`))
    await page.mouse.up()
    await expect.poll(() => titlesInOrder(page)).toEqual([2, 1, 3, 4].map((n) => `Errand ${n}`))
    // The menu of the system may swallow the release of the button that opens it.
    await page.mouse.down({ button: 'right' })
    await seedTasks(fixture, 1, () => ({ title: 'Errand 5', status: 'todo' }))
    await expect.poll(() => titlesInOrder(page)).toEqual([2, 5, 1, 3, 4].map((n) => `Errand ${n}`))
    await page.mouse.up({ button: 'right' })
    await ask('admin', `DELETE /api/v1/tasks/${second?.id}`)
    await expect.poll(() => titlesInOrder(page)).toEqual([5, 1, 3, 4].map((n) => `Errand ${n}`))
    // The counts of the sidebar come with the feed, too.
    await page.clock.fastForward(3_000)
    await expect(page.getByRole('link', { name: 'ENG Engineering 4' })).toBeVisible()
    await ask('admin', 'POST /api/v1/tasks', { project_id: team.hidden, title: 'Elsewhere' })
    await expectWithFastClock(
      page,
      page.getByRole('link', { name: 'HID Hidden private 1' }),
      SHORTLY,
    )
    expect(reads()).toEqual([])

    // After an outage, too, the feed goes on from where it was, however old the list is by then.
    await page.context().setOffline(true)
    await ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title: 'Errand 1 missed' })
    await page.clock.fastForward(31_000)
    await page.context().setOffline(false)
    await row(page, 'Errand 1 missed').waitFor()
    await expect(page.getByText('Live, last updated')).toBeVisible()
    expect(reads().filter((url) => LISTS.test(url))).toEqual([])
    // What the feed lacks is read again.
    await expect
      .poll(async () => {
        await page.clock.fastForward(1_000)
        return reads().filter((url) => url.includes('/internal/boot')).length
      })
      .toBe(1)

    // What the page reads after the outage is answered by then.
    await followFeed(page, (title) => ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title }))
    // The feed repeats what the page does itself, which costs nothing.
    const ownReads = countReads(page)
    await row(page, 'Errand 5')
      .getByRole('button', { name: /Complete or reopen/ })
      .click()
    await expect(page.getByRole('button', { name: /^Done.*ENG-5/ })).toBeVisible()
    await expectWithFastClock(page, page.getByRole('link', { name: 'ENG Engineering 3' }), SHORTLY)
    expect(ownReads()).toEqual([])
  },
)

browserTest(
  'counts anew what is overdue, also after own changes and for tasks that are not loaded',
  async (fixture) => {
    const { as, team, ask } = fixture
    const assignee_ids = [team.people.owner.id]
    const due_date = '2020-01-01'
    const [first, second] = await seedTasks(fixture, 2, (n) => ({
      title: `Errand ${n + 1}`,
      status: 'todo',
      assignee_ids,
      due_date,
    }))
    const elsewhere = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
      title: 'Errand elsewhere',
      project_id: team.hidden,
      assignee_ids,
      due_date,
    })
    const page = await as('owner')
    await page.clock.install({ time: noonToday() })
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await row(page, 'Errand 2').waitFor()
    const overdue = page.getByRole('navigation', { name: 'Main' }).getByTitle('overdue')
    await expect(overdue).toHaveText('3')
    await followFeed(page, (title) => ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title }))
    const reads = countReads(page)
    await row(page, 'Errand 2')
      .getByRole('button', { name: /Complete or reopen/ })
      .click()
    await expectWithFastClock(page, overdue.filter({ hasText: '2' }), SHORTLY)
    await ask('admin', `PATCH /api/v1/tasks/${second?.id}`, { status: 'todo' })
    await expectWithFastClock(page, overdue.filter({ hasText: '3' }), SHORTLY)
    // The page has never loaded this task, and it is nobody's now.
    await ask('owner', `PATCH /api/v1/tasks/${elsewhere.id}`, { assignee_ids: [] })
    await expectWithFastClock(page, overdue.filter({ hasText: '2' }), SHORTLY)
    expect(reads().filter((url) => url.includes('/boot'))).toEqual([])

    // Of a new task it knows enough.
    const known = countReads(page)
    await ask('owner', 'POST /api/v1/tasks', { project_id: team.hidden, title: 'Errand 4' })
    await expectWithFastClock(
      page,
      page.getByRole('link', { name: 'HID Hidden private 2' }),
      SHORTLY,
    )
    await page.clock.fastForward(15_000)
    await expect(overdue).toHaveText('2')
    expect(known()).toEqual([])
  },
)

browserTest('counts anew half a minute after a read of the counts has failed', async (fixture) => {
  const { ask, allow } = fixture
  allow(503)
  const { page, id } = await openFollowed(fixture)
  const counts = '**/internal/counts'
  const fail = (route: Route) => route.fulfill({ status: 503, json: {} })
  await routeRequests(page, counts, fail, { times: 1 })
  const reads = countReads(page)
  const hasFailed = page.waitForResponse(counts)
  await ask('admin', `PATCH /api/v1/tasks/${id}`, { due_date: '2020-01-01' })
  await hasFailed
  const overdue = page.getByRole('navigation', { name: 'Main' }).getByTitle('overdue')
  await expect(overdue).toHaveCount(0)
  const clock = { stepMs: 5_000, everyMs: 500, steps: 8 }
  await expectWithFastClock(page, overdue.filter({ hasText: '1' }), clock)
  // Nothing but the repeated read has shown it.
  const paths = reads().map((url) => new URL(url).pathname)
  expect(paths).toEqual(['/internal/counts', '/internal/counts'])
})

browserTest('reads again after an outage what has failed during it', async (fixture) => {
  const { allow } = fixture
  allow(CONNECTION_ERRORS)
  const { page } = await openFollowed(fixture)
  await startInterception(page)
  await page.route('**/api/v1/tasks?*', (route) => route.abort())
  await page.getByRole('link', { name: 'My work', exact: true }).click()
  await expectWithFastClock(page, page.getByRole('button', { name: 'Try again' }), SHORTLY)
  await page.context().setOffline(true)
  await page.unroute('**/api/v1/tasks?*')
  await page.context().setOffline(false)
  await expect(page.getByRole('link', { name: /^Renamed/ })).toBeVisible()
})

browserTest(
  'a move to another project can be undone after the feed has told of it',
  async (fixture) => {
    const { as, team, ask } = fixture
    await seedTasks(fixture, 2, (n) => ({ title: `Errand ${n + 1}` }))
    const page = await as('owner')
    await page.addInitScript(holdFeed)
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await row(page, 'Errand 2').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('ControlOrMeta+a')
    await page.getByRole('button', { name: /^Move/ }).click()
    await page.getByRole('dialog').waitFor()
    await typeInFocusedField(page, 'Hidden')
    const isMoved = page.waitForResponse('**/api/v1/tasks/bulk')
    await page.keyboard.press('Enter')
    await holdUndo(page)
    await isMoved
    await expect.poll(() => countStoredMutations(page)).toBe(0)
    // The page has the reply, and then the feed tells that the tasks have left their project.
    await expect(page.locator('html')).toHaveAttribute('data-held-tasks', '4')
    await page.evaluate(() => document.dispatchEvent(new Event('release-feed')))
    await pressUndo(page)
    await expect(row(page, 'Errand 1')).toBeVisible()
    await expect
      .poll(async () => {
        const path = `GET /api/v1/projects/${team.project}/tasks`
        return (await ask<{ data: unknown[] }>('owner', path)).data.length
      })
      .toBe(2)
  },
)

browserTest(
  'a visible tab takes over from a tab that no longer answers, and misses nothing',
  async (fixture) => {
    const { as, team, ask } = fixture
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'One' }))
    const leader = await as('member')
    const list = `/w/${team.workspace}/p/ENG`
    const isLeading = leader.waitForRequest('**/internal/changes*')
    await leader.goto(list)
    await isLeading
    await row(leader, 'One').waitFor()
    const follower = await leader.context().newPage()
    await follower.clock.install({ time: noonToday() })
    const streams: string[] = []
    follower.on('request', (request) => {
      if (request.url().includes('/internal/changes')) streams.push(request.url())
    })
    // It has read its data, but does not listen yet.
    const code = Promise.withResolvers<void>()
    await follower.route('**/app/assets/live-tab*.js', async (route) => {
      await code.promise
      await route.fallback()
    })
    await follower.goto(list)
    await row(follower, 'One').waitFor()
    await ask('owner', `PATCH /api/v1/tasks/${task?.id}`, { title: 'One and a half' })
    await row(leader, 'One and a half').waitFor()
    code.resolve()
    await follower.clock.runFor(2_000)
    await row(follower, 'One and a half').waitFor()
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

/** Opens a list with one task, which is the owner's, and waits until it follows the feed. */
async function openFollowed(fixture: BrowserFixture) {
  const { as, team, ask } = fixture
  const assignee_ids = [team.people.owner.id]
  const [task] = await seedTasks(fixture, 1, () => ({
    title: 'Errand 1',
    status: 'todo',
    assignee_ids,
  }))
  const id = task?.id
  const page = await as('owner')
  await page.clock.install({ time: noonToday() })
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await row(page, 'Errand 1').waitFor()
  await followFeed(page, (title) => ask('admin', `PATCH /api/v1/tasks/${id}`, { title }))
  return { page, id }
}

const row = (page: Page, title: string) => page.locator('[data-number]').filter({ hasText: title })

const titlesInOrder = async (page: Page): Promise<string[]> => {
  const texts = await page.locator('[data-number]').allInnerTexts()
  return texts.map((text) => /Errand \d/.exec(text)?.[0] ?? text)
}

browserTest('sums count the time that others log', async (fixture) => {
  const { page, id } = await openFollowed(fixture)
  const logged = { duration_seconds: 3_600 }
  await fixture.ask('admin', `POST /api/v1/tasks/${id}/time-entries`, logged)
  await expect(page.locator('[data-number="1"]')).toContainText('1h')
  await expect(page.locator('[data-group="todo"]')).toContainText('1h')
})

browserTest('places a task by what is read of it before the feed tells of it', async (fixture) => {
  const { as, team, ask } = fixture
  const tasks = await seedTasks(fixture, 3, (n) => ({
    title: `Errand ${n + 1}`,
    status: n === 0 ? 'todo' : 'in_progress',
  }))
  const page = await as('owner')
  await page.addInitScript(holdFeed)
  await page.goto(`/w/${team.workspace}/p/ENG?sort=number`)
  await row(page, 'Errand 1').waitFor()
  await expect(page.getByText('Live')).toBeVisible()
  await ask('admin', `PATCH /api/v1/tasks/${tasks[0]?.id}`, { status: 'done' })
  await expect(page.locator('html')).toHaveAttribute('data-held-tasks', '1')
  await row(page, 'Errand 1').getByRole('link', { name: 'Errand 1' }).click()
  await expect(row(page, 'Errand 1').getByRole('button', { name: /^Done/ })).toBeVisible()
  await expect(page.getByText('tasks, 2 open,')).toBeVisible()
  await expect(page.getByRole('row', { name: /^To do/ })).toHaveCount(0)
  await page.evaluate(() => document.dispatchEvent(new Event('release-feed')))
  await ask('admin', `PATCH /api/v1/tasks/${tasks[0]?.id}`, { title: 'Errand at last' })
  await expect(row(page, 'Errand at last')).toBeVisible()
  await expect(page.getByText('tasks, 2 open,')).toBeVisible()
})
