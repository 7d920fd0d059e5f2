import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import type { Page, Request } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { dropTimers } from '../support/drop-timers.ts'
import { expect } from '../support/expect.ts'
import { recordRowRenders } from '../support/row-renders.ts'
import { beforeMidnight, dateFromToday, seedTasks } from '../support/seed.ts'

const rowOf = (page: Page, number: number) => page.locator(`[data-number="${number}"]`)

/** Waits for the buttons of rows, which get them a few at a time. */
const expectButtons = (page: Page, count: number) =>
  expect(page.locator('[data-number]').getByRole('button', { name: /^To do/ })).toHaveCount(count)

browserTest('renders only the row of a task that changes', async (fixture) => {
  const { as, ask, team } = fixture
  const tasks = await seedTasks(fixture, 12, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  await ask('owner', `PATCH /api/v1/tasks/${tasks[6]?.id}`, { blocked_by_ids: [tasks[11]?.id] })
  const page = await as('member')
  const renderedRows = await recordRowRenders(page)
  const rowsShown = Promise.withResolvers<void>()
  await page.route('**/api/v1/projects/*/tags?*', async (route) => {
    await rowsShown.promise
    await route.fallback()
  })
  const tagsReply = page.waitForResponse('**/api/v1/projects/*/tags?*')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.getByText('Live')).toBeVisible()
  await expectButtons(page, 12)
  await expect(rowOf(page, 7)).toContainText('ENG-12')
  // Changes from before may arrive only now; a later one comes after them.
  await ask('owner', `PATCH /api/v1/tasks/${tasks[0]?.id}`, { title: 'First' })
  await expect(rowOf(page, 1)).toContainText('First')
  await expect(page.locator('[data-live]')).toHaveCount(0)
  const all = tasks.map(({ number }) => number)
  assert.deepEqual(await renderedRows(), all, 'control: the first render is recorded')

  // The project has no tags, so a late reply changes no row.
  rowsShown.resolve()
  await (await tagsReply).finished()
  await ask('owner', `PATCH /api/v1/tasks/${tasks[3]?.id}`, { title: 'By another' })
  await expect(page.getByText('By another')).toBeVisible()
  await expect(rowOf(page, 4)).not.toHaveAttribute('data-live', 'true')
  assert.deepEqual(await renderedRows(), [4])

  // The last task of the list moves no other when it goes to a group below.
  await rowOf(page, 12)
    .getByRole('button', { name: /^To do/ })
    .click()
  await expect(
    page.getByRole('rowgroup', { name: 'Done' }).getByText('Task 12', { exact: true }),
  ).toBeVisible()
  await expect(rowOf(page, 7).locator('.blocked')).toBeHidden()
  // The page reads its numbers of tasks anew some seconds after a change.
  await expect(page.getByRole('navigation').getByText('11', { exact: true })).toBeVisible()
  assert.deepEqual(
    (await renderedRows()).filter((number) => number !== 12),
    [],
  )
})

browserTest('renders no row again as an hour begins', async (fixture) => {
  const { as, ask, team } = fixture
  const tasks = await seedTasks(fixture, 12, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member')
  const renderedRows = await recordRowRenders(page)
  await page.clock.install({ time: new Date().setUTCHours(12, 59, 30) })
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.getByText('Live')).toBeVisible()
  await expectButtons(page, 12)
  // Changes from before may arrive only now; a later one comes after them.
  await ask('owner', `PATCH /api/v1/tasks/${tasks[0]?.id}`, { title: 'First' })
  await expect(rowOf(page, 1)).toContainText('First')
  await expect(page.locator('[data-live]')).toHaveCount(0)
  await renderedRows()
  await page.clock.fastForward('00:01:00')
  // A new number of open tasks renders the page, which is when it reads the clock.
  await ask('owner', `PATCH /api/v1/tasks/${tasks[11]?.id}`, { status: 'done' })
  await expect(page.getByRole('navigation').getByText('11', { exact: true })).toBeVisible()
  assert.deepEqual(await renderedRows(), [12])
})

browserTest('groups its tasks anew when a new day begins', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 1, () => ({ title: 'Report', due_date: dateFromToday(0) }))
  const page = await as('member')
  await page.clock.install({ time: beforeMidnight() - 600_000 })
  await page.goto(`/w/${team.workspace}/p/ENG?group=due`)
  const due = page.locator('[data-number] .due')
  await expect(due).toHaveText('Today')
  await page.clock.fastForward('00:12:00')
  await expect(due).toHaveText('1 day overdue')
  await expect(page.getByRole('rowgroup', { name: 'Overdue' }).getByText('Report')).toBeVisible()
})

/** The budget of docs/spec/web.md#performance-budget, of 1,000 bytes each. */
const MAX_FIRST_LOAD_KB = 171
/** MAX_START_DELAY_MS of lib/browser/schedule-preload.ts, and WORKER_DELAY_MS of features/shell. */
const DEFERRED_LOAD_DELAYS_MS = [3_000, 2_000]

browserTest('requests at most 171 kB of scripts before the first rows', async (fixture) => {
  await seedTasks(fixture, 3)
  const page = await fixture.as('member')
  const scripts: Request[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request)
  })
  const rows = Promise.withResolvers<void>()
  await page.route('**/internal/projects/*/tasks', async (route) => {
    await rows.promise
    await route.fallback()
  })
  // On a busy machine what is loaded later would be loaded before these rows are shown.
  await page.addInitScript(dropTimers, DEFERRED_LOAD_DELAYS_MS)
  await page.goto(`/w/${fixture.team.workspace}/p/ENG`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const before = [...scripts]
  const sizes = await Promise.all(
    before.map(async (request) => {
      const body = await (await request.response())?.body()
      return {
        path: new URL(request.url()).pathname,
        size: gzipSync(body ?? '', { level: 9 }).length,
      }
    }),
  )
  const total = sizes.reduce((sum, { size }) => sum + size, 0) / 1_000
  assert.ok(total > 100, `control: ${total} kB are too few for the app`)
  assert.ok(total <= MAX_FIRST_LOAD_KB, `${total} kB: ${JSON.stringify(sizes)}`)
  rows.resolve()
  await expect(rowOf(page, 1)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Saved views' })).toBeVisible()
})
