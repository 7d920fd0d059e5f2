import type { Page, Request } from '@playwright/test'
import { browserTest, expect } from '../support/browser-test.ts'
import { CONNECTION_ERRORS, expectWritten, openWholeMyWork } from '../support/page-actions.ts'
import { holdRequests, startInterception } from '../support/route-requests.ts'
import { noonToday, seedTasks } from '../support/seed.ts'
import { expectWithFastClock } from './expect-with-fast-clock.ts'

const row = (page: Page, title: string) => page.locator('[data-number]').filter({ hasText: title })

browserTest(
  'a page loads the changes that it missed while its server was down',
  { hasOwnServer: true },
  async (fixture) => {
    const { as, team, ask, docket, allow } = fixture
    allow(CONNECTION_ERRORS)
    const mine = { assignee_ids: [team.people.member.id] }
    const tasks = await seedTasks(fixture, 3, (n) => ({ title: `Errand ${n + 1}`, ...mine }))
    const rowOf = (title: string) =>
      page.getByRole('row').filter({ has: page.getByText(title, { exact: true }) })
    const page = await as('member')
    // Browsers offer these only to pages that were loaded over https.
    await page.addInitScript(() => {
      Reflect.deleteProperty(Crypto.prototype, 'randomUUID')
      Reflect.deleteProperty(Navigator.prototype, 'locks')
    })
    await openWholeMyWork(page, team.workspace)
    await expect(rowOf('Errand 3')).toBeVisible()
    await docket.stop('SIGKILL')
    await docket.start()
    await ask('owner', `PATCH /api/v1/tasks/${tasks[0]?.id}`, { title: 'Errand 1, renamed' })
    await ask('owner', `DELETE /api/v1/tasks/${tasks[1]?.id}`)
    await seedTasks(fixture, 1, () => ({ title: 'Errand 4', ...mine }))
    await expect(page.getByText('Errand 1, renamed')).toBeVisible()
    await expect(rowOf('Errand 4')).toBeVisible()
    await expect(rowOf('Errand 2')).toHaveCount(0)

    // Live updates continue after the reconnect.
    await ask('owner', `PATCH /api/v1/tasks/${tasks[2]?.id}`, { title: 'Errand 3, later' })
    await expect(page.getByText('Errand 3, later')).toBeVisible()
    await rowOf('Errand 3, later')
      .getByRole('button', { name: /Complete or/ })
      .click()
    await expect(page.getByText('Completed ENG-3')).toBeVisible()
    await expect
      .poll(async () => (await ask('owner', `GET /api/v1/tasks/${tasks[2]?.id}`)).completed_at)
      .not.toBeNull()
  },
)

browserTest('loads what it missed, or could not read, while offline', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(CONNECTION_ERRORS)
  const mine = { assignee_ids: [team.people.member.id] }
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'One', ...mine }))
  const page = await as('member')
  await startInterception(page)
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  await page.getByRole('button', { name: 'Add a comment. Use @ to mention someone' }).click()
  const commentField = page.getByLabel('Comment', { exact: true })
  await commentField.fill('Half')
  await page.context().setOffline(true)
  await ask('owner', `PATCH /api/v1/tasks/${task?.id}`, { title: 'Three' })
  await ask('owner', `POST /api/v1/tasks/${task?.id}/comments`, { body: 'Said meanwhile' })
  await page.context().setOffline(false)
  await expect(page.getByRole('heading', { level: 1, name: 'Three' })).toBeVisible()
  await expect(page.locator('.said').getByText('Said meanwhile')).toBeVisible()
  await expectWritten(commentField, 'Half')

  // A list whose read has failed is read again after the outage.
  await page.clock.install()
  await page.route('**/internal/open-tasks*', (route) => route.abort())
  await page.getByRole('link', { name: 'My work', exact: true }).click()
  await expectWithFastClock(page, page.getByRole('button', { name: 'Try again' }))
  await page.context().setOffline(true)
  await page.unroute('**/internal/open-tasks*')
  await page.context().setOffline(false)
  await expect(page.getByRole('link', { name: 'Three' })).toBeVisible()
})

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

browserTest('a visible tab takes over from one that no longer answers', async (fixture) => {
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
  const loadCode = await holdRequests(follower, '**/app/assets/live-tab*.js')
  await follower.goto(list)
  await row(follower, 'One').waitFor()
  await ask('owner', `PATCH /api/v1/tasks/${task?.id}`, { title: 'One and a half' })
  await row(leader, 'One and a half').waitFor()
  loadCode()
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
})
