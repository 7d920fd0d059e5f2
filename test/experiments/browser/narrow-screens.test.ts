import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../../browser/support/browser-test.ts'
import { expect } from '../../browser/support/expect.ts'
import { openScreen } from '../../browser/support/open-screen.ts'
import { dateFromToday, seedTasks } from '../../browser/support/seed.ts'

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'New task' })
const titleOf = (page: Page) => dialogOf(page).getByRole('combobox', { name: 'Title' })

/** Opens My work, where nothing belongs to a project. */
async function openMyWork({ as, team }: BrowserFixture, role: 'owner' | 'member' = 'member') {
  const page = await as(role)
  await page.goto(`/w/${team.workspace}/my`)
  await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
  return page
}

browserTest(
  'nothing of a new task is hidden on a phone with its keyboard open',
  async (fixture) => {
    const page = await openMyWork(fixture)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole('navigation').getByRole('button', { name: 'New' }).click()
    await expect(titleOf(page)).toBeFocused()
    await page.keyboard.type('Call the bank friday 9am 30min !high')
    // A keyboard of 320 px covers the page, or makes it so much lower.
    const create = await dialogOf(page)
      .getByRole('button', { name: 'Create' })
      .first()
      .boundingBox()
    assert.ok(create && create.y + create.height <= 420, `${create?.y}`)
    await page.setViewportSize({ width: 360, height: 420 })
    await expect(page.getByRole('button', { name: /^Remove/ })).toHaveCount(3)
    await expect(dialogOf(page)).toBeInViewport({ ratio: 1 })
    for (const name of ['Create', 'Create and close']) {
      const button = dialogOf(page).getByRole('button', { name, exact: true })
      await expect(button).toBeInViewport({ ratio: 1 })
      await button.click({ trial: true })
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.ok(overflow <= 0)
    await dialogOf(page).getByRole('button', { name: 'Create', exact: true }).click()
    await expect(dialogOf(page).getByText('ENG-1 created')).toBeVisible()
  },
)

/** Twelve tasks: 1 to 4 are of high priority, 5 to 12 of low; every third is done. */
const seedPriorities = (fixture: BrowserFixture) =>
  seedTasks(fixture, 12, (n) => ({
    title: `Task ${n + 1}`,
    priority: n < 4 ? 'high' : 'low',
    status: n % 3 === 2 ? 'done' : 'todo',
  }))

const rows = (page: Page) => page.locator('[data-number]')
const conditions = (page: Page) => page.getByRole('group', { name: 'Filter conditions' })
const address = ({ team }: BrowserFixture, f: string) =>
  `/w/${team.workspace}/p/ENG?f=${encodeURIComponent(f)}`

browserTest('keeps the conditions in sight on a phone, with large targets', async (fixture) => {
  await seedPriorities(fixture)
  const page = await fixture.as('guest', { viewport: { width: 360, height: 740 }, hasTouch: true })
  await page.goto(address(fixture, 'priority:high -status:done created:<30d'))
  await expect(conditions(page)).toContainText('3 of 12')
  await expect(page.getByRole('button', { name: 'Clear filter' })).toBeInViewport({ ratio: 1 })
  const targets = await conditions(page)
    .getByRole('button')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()))
  for (const { width, height } of targets)
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
})

browserTest('the conditions stay in reach beside the open task', async (fixture) => {
  await seedPriorities(fixture)
  const page = await fixture.as('member')
  await page.goto(`${address(fixture, 'priority:high -status:done created:<30d')}&task=ENG-1`)
  const clear = page.getByRole('button', { name: 'Clear filter' })
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 900 })
    await expect(conditions(page)).toContainText('3 of 12')
    // Nothing covers them.
    await clear.click({ trial: true })
    await page
      .getByRole('button', { name: 'Change filter: Priority is High' })
      .click({ trial: true })
  }
  await clear.click()
  await expect(conditions(page)).toBeHidden()
  await expect(rows(page)).toHaveCount(12)
})

browserTest('a running timer covers nothing', async (fixture) => {
  const { as, team, ask } = fixture
  const [one, two] = await seedTasks(fixture, 30)
  assert.ok(one && two)
  await ask('member', `POST /api/v1/tasks/${one.id}/time-entries`, {
    started_at: new Date().toISOString(),
  })
  const task = `t/${two.short_id}`
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/inbox`)
  for (const [width, path, target] of [
    [360, task, '[data-does="comment"]'],
    [700, 'p/ENG', '[role="row"] .title'],
    [700, task, '[data-does="comment"]'],
    [1280, 'p/ENG', '.side .account'],
  ] as const) {
    await page.setViewportSize({ width, height: 740 })
    await openScreen(page, `/w/${team.workspace}/${path}`)
    const slip = page.getByRole('region', { name: 'Running timer' })
    await expect(slip).toBeVisible()
    await page.locator(target).first().waitFor()
    const covered = await page.locator(target).evaluateAll((all) =>
      all.flatMap((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect()
        return [left + 2, (left + right) / 2].flatMap((x) => {
          const hit = document.elementFromPoint(x, (top + bottom) / 2)
          return hit?.closest('.timer-slip') ? (one.textContent ?? '') : []
        })
      }),
    )
    assert.deepEqual(covered, [], `${path} at ${width}`)
  }
})

const day = (page: Page, date: string) => page.locator(`[data-day="${date}"]`)

/** A date of the current month, whose grid has the 10th to the 14th on any day. */
const inMonth = (date: number) => `${dateFromToday(0).slice(0, 8)}${String(date).padStart(2, '0')}`

/** Opens a month with a task on the 12th, four on the 13th and one without a due date. */
async function openCalendar(
  fixture: BrowserFixture,
  prepare: (page: Page) => Promise<unknown> = async () => undefined,
) {
  const { as, ask, team } = fixture
  const [first] = await seedTasks(fixture, 6, (n) => ({
    title: `Task ${n + 1}`,
    ...(n < 5 && { due_date: inMonth(n === 0 ? 12 : 13) }),
  }))
  const due = async () => {
    const path = `GET /api/v1/tasks/${first?.id}`
    return (await ask<{ due_date: string }>('owner', path)).due_date
  }
  const page = await as('member')
  await prepare(page)
  await page.goto(`/w/${team.workspace}/p/ENG?view=calendar`)
  const calendarTask = (date: number) => day(page, inMonth(date)).locator('[data-number="1"]')
  await expect(calendarTask(12)).toContainText('Task 1')
  return { page, calendarTask, due }
}

browserTest('begins today on a phone, and goes on after the month', async (fixture) => {
  const nextMonth = new Date(`${inMonth(13)}T12:00:00Z`)
  nextMonth.setUTCDate(nextMonth.getUTCDate() + 20)
  const due_date = nextMonth.toISOString().slice(0, 10)
  const { page } = await openCalendar(fixture, async (opened) => {
    await opened.clock.setFixedTime(new Date(`${inMonth(13)}T12:00:00`))
  })
  await seedTasks(fixture, 1, () => ({ title: 'Next month', due_date }))
  await page.setViewportSize({ width: 360, height: 740 })
  const days = page.locator('.agenda h3')
  await expect(days).toHaveCount(2)
  await expect(days.first()).toHaveText('Today')
  await expect(page.locator('.agenda section').last()).toContainText('Next month')
  await page.getByRole('button', { name: 'Show 1 earlier day' }).click()
  await expect(days).toHaveCount(3)
  await expect(days.nth(1)).toHaveText('Today')
})
