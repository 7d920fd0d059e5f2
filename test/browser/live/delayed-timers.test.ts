import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

const HOUR_MS = 60 * 60 * 1000

interface SavedEntry {
  is_running: boolean
  started_at: string
  duration_seconds: number | null
}

/** Opens the list at a time before now, so that the clock of the page can be advanced to now. */
async function openListInThePast(
  { as, team, allow }: BrowserFixture,
  agoMs: number,
): Promise<Page> {
  allow(CONNECTION_ERRORS)
  const page = await as('member')
  await page.clock.install({ time: Date.now() - agoMs })
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('First', { exact: true }).waitFor()
  // By then all that sends writes is loaded.
  await page.getByRole('row', { name: /Other/ }).press('i')
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  return page
}

const seedThree = (fixture: BrowserFixture) =>
  seedTasks(fixture, 3, (n) => ({ title: ['First', 'Second', 'Other'][n] }))

/** Ends the time without a network, and waits until everything is sent. */
async function goOnline(page: Page): Promise<void> {
  await page.context().setOffline(false)
  await expect.poll(() => countStoredMutations(page)).toBe(0)
}

const toggleTimer = (page: Page, title: string) =>
  page.getByRole('row', { name: new RegExp(title) }).press('Shift+S')

async function readEntries(
  { ask }: BrowserFixture,
  task: { id: string } | undefined,
): Promise<SavedEntry[]> {
  assert.ok(task)
  const path = `GET /api/v1/tasks/${task.id}/time-entries`
  return (await ask<{ data: SavedEntry[] }>('owner', path)).data
}

/** How long the timers of a task ran, in whole minutes: what a test does adds seconds to them. */
const readMinutes = async (fixture: BrowserFixture, task: { id: string } | undefined) =>
  (await readEntries(fixture, task)).map(({ duration_seconds }) =>
    Math.floor((duration_seconds ?? 0) / 60),
  )

browserTest(
  'a timer that was started offline ends the running one at the click',
  async (fixture) => {
    const [first, second, other] = await seedThree(fixture)
    assert.ok(first)
    const started_at = new Date(Date.now() - HOUR_MS).toISOString()
    await fixture.ask('member', `POST /api/v1/tasks/${first.id}/time-entries`, { started_at })
    const page = await openListInThePast(fixture, HOUR_MS)
    await page.context().setOffline(true)
    await page.clock.fastForward('20:00')
    await toggleTimer(page, 'Second')
    await page.clock.fastForward('10:00')
    // Its predecessor is not created yet.
    await toggleTimer(page, 'Other')
    await page.clock.fastForward('30:00')
    await goOnline(page)
    assert.deepEqual(await readMinutes(fixture, first), [20])
    assert.deepEqual(await readMinutes(fixture, second), [10])
    const [entry] = await readEntries(fixture, other)
    assert.ok(entry?.is_running)
    assert.ok(Date.now() - Date.parse(entry.started_at) > HOUR_MS / 2)
  },
)

browserTest('a timer that another device has stopped keeps its end', async (fixture) => {
  const { ask } = fixture
  const [task] = await seedThree(fixture)
  assert.ok(task)
  const now = Date.now()
  const at = (minutesAgo: number) => new Date(now - minutesAgo * 60_000).toISOString()
  const path = `POST /api/v1/tasks/${task.id}/time-entries`
  const { id } = await ask<{ id: string }>('member', path, { started_at: at(60) })
  const page = await openListInThePast(fixture, HOUR_MS)
  await page.context().setOffline(true)
  await page.clock.fastForward('40:00')
  await toggleTimer(page, 'First')
  await ask('member', `PATCH /api/v1/time-entries/${id}`, { ended_at: at(30) })
  await page.clock.fastForward('20:00')
  await goOnline(page)
  assert.deepEqual(await readMinutes(fixture, task), [30])
})

browserTest('a timer starts also if the one before cannot be corrected', async (fixture) => {
  const { ask, as, docket } = fixture
  const [, second] = await seedThree(fixture)
  const owner = await as('owner')
  const post = (address: string, data: object) =>
    owner.request.post(address, { headers: { origin: docket.url }, data })
  const reply = await post('/internal/projects', { name: 'Research', prefix: 'RES' })
  const { id: project_id }: { id: string } = await reply.json()
  const task = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
    project_id,
    title: 'Ask',
  })
  const started_at = new Date(Date.now() - HOUR_MS).toISOString()
  await ask('member', `POST /api/v1/tasks/${task.id}/time-entries`, { started_at })
  fixture.allow(409)
  const page = await openListInThePast(fixture, HOUR_MS)
  await page.context().setOffline(true)
  await page.clock.fastForward('20:00')
  await toggleTimer(page, 'Second')
  assert.equal((await post(`/internal/projects/${project_id}/archive`, {})).status(), 200)
  await page.clock.fastForward('40:00')
  await goOnline(page)
  await expect(page.getByText(/Timer.*archived/).first()).toBeVisible()
  const [entry] = await readEntries(fixture, second)
  assert.ok(entry?.is_running)
  assert.ok(Date.now() - Date.parse(entry.started_at) > HOUR_MS / 2)
  // What ended with its project keeps its length.
  assert.deepEqual(await readMinutes(fixture, task), [60])
})

browserTest('a timer that another device has started since goes on', async (fixture) => {
  const { ask } = fixture
  const [first, second, other] = await seedThree(fixture)
  assert.ok(other)
  const page = await openListInThePast(fixture, HOUR_MS)
  await page.context().setOffline(true)
  await toggleTimer(page, 'First')
  await page.clock.fastForward('20:00')
  await toggleTimer(page, 'First')
  await toggleTimer(page, 'Second')
  const started_at = new Date(Date.now() - HOUR_MS / 2).toISOString()
  await ask('member', `POST /api/v1/tasks/${other.id}/time-entries`, { started_at })
  await page.clock.fastForward('40:00')
  await goOnline(page)
  await expect(page.getByText(/newer timer on ENG-\d keeps running/).first()).toBeVisible()
  assert.deepEqual(await readMinutes(fixture, first), [20])
  assert.deepEqual(await readMinutes(fixture, second), [10])
  const [entry] = await readEntries(fixture, other)
  assert.ok(entry?.is_running)
})

browserTest('a timer starts and stops once if replies are lost', async (fixture) => {
  const [task] = await seedThree(fixture)
  fixture.allow(422)
  const page = await openListInThePast(fixture, 0)
  let lost = 0
  await routeRequests(page, /time-entries/, async (route) => {
    if (route.request().method() === 'GET' || lost > 0) return route.fallback()
    lost += 1
    await route.fetch()
    await route.abort()
  })
  for (const isRunning of [true, false]) {
    lost = 0
    await toggleTimer(page, 'First')
    await expect.poll(() => lost).toBe(1)
    // The next attempt is delayed, and would send another body.
    await page.clock.fastForward(10_000)
    await expect.poll(() => countStoredMutations(page)).toBe(0)
    const entries = await readEntries(fixture, task)
    assert.deepEqual(
      entries.map(({ is_running }) => is_running),
      [isRunning],
    )
    assert.equal(await page.getByText(/failed/).count(), 0)
  }
})

browserTest('a timer counts the time in which the server does not answer', async (fixture) => {
  const [task] = await seedThree(fixture)
  const page = await openListInThePast(fixture, HOUR_MS)
  await routeRequests(page, /time-entries/, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.fallback(),
  )
  const attempt = page.waitForEvent('requestfailed')
  await toggleTimer(page, 'First')
  await attempt
  await page.clock.fastForward('01:00:00')
  await page.unroute(/time-entries/)
  await expect
    .poll(async () => {
      await page.clock.fastForward(2_000)
      return countStoredMutations(page)
    })
    .toBe(0)
  const [entry] = await readEntries(fixture, task)
  assert.ok(entry?.is_running)
  assert.ok(Date.now() - Date.parse(entry.started_at) >= HOUR_MS - 10_000)
})
