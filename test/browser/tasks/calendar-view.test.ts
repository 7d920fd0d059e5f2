import type { Page } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { press } from '../support/page-actions.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

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

browserTest('the keyboard reaches each day, and moves a task to the next', async (fixture) => {
  const { page, calendarTask, due } = await openCalendar(fixture)
  // Arrows move through the days, Tab to the tasks of a day; the focus follows a moved task.
  await day(page, inMonth(10)).focus()
  for (const key of ['PageDown', 'PageUp', 'ArrowRight', 'ArrowRight'])
    await page.keyboard.press(key)
  await expect(day(page, inMonth(12))).toBeFocused()
  await press(page, 'Tab', 'Tab')
  await expect(calendarTask(12).locator('a')).toBeFocused()
  // J and K take the focus to the next and previous task, also on another day.
  const second = day(page, inMonth(13)).locator('[data-number="2"]')
  await page.keyboard.press('j')
  await expect(second.locator('a')).toBeFocused()
  await page.keyboard.press('k')
  await expect(calendarTask(12).locator('a')).toBeFocused()
  await page.keyboard.press('Alt+ArrowRight')
  await expect.poll(due).toBe(inMonth(13))
  await expect(calendarTask(13).locator('a')).toBeFocused()
  // In a calendar that is opened again, Alt+arrow still moves days and not the place in the list.
  await page.keyboard.press('3')
  await expect(page.locator('.plan-grid')).toBeVisible()
  await page.keyboard.press('4')
  await expect(calendarTask(13)).toBeVisible()
  await page.keyboard.press('Alt+ArrowDown')
  await expect.poll(due).toBe(inMonth(20))
  // Shift+C adds a subtask to the task, due on its day.
  await page.keyboard.press('Shift+C')
  await expect(page.getByRole('textbox', { name: 'New subtask of ENG-1' })).toBeFocused()
  await page.keyboard.type('Part of it')
  await page.keyboard.press('Enter')
  const { ask, list } = fixture
  const parent = await ask<{ id: string }>('owner', 'GET /api/v1/tasks/ENG-1')
  await expect
    .poll(async () => await list<object>('GET /api/v1/tasks?q=part'))
    .toMatchObject([{ title: 'Part of it', parent_id: parent.id, due_date: inMonth(20) }])
})

browserTest('moves tasks by pointer, and a full day opens a list', async (fixture) => {
  const { ask, list, team } = fixture
  const { page, calendarTask, due } = await openCalendar(fixture)
  await ask('owner', `PATCH /api/v1/tasks/ENG-1`, { due_date: inMonth(13) })
  await expect(calendarTask(12)).toHaveCount(0)
  await day(page, inMonth(13))
    .getByRole('button', { name: /^\+\d+ more$/ })
    .click()
  const sheet = page.getByRole('dialog')
  await expect(sheet.locator('li')).toHaveCount(5)
  await assertAccessible(page, { within: OPEN_DIALOG })
  await sheet.getByRole('button', { name: 'Dates of ENG-1' }).click()
  await page.getByRole('menuitem', { name: 'Move one day earlier' }).click()
  await expect.poll(due).toBe(inMonth(12))
  await sheet.getByLabel(/^New task due/).fill('Added here')
  await page.keyboard.press('Enter')
  await expect(sheet.getByText('Added here')).toBeVisible()
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  await page.goto(`/w/${team.workspace}/p/ENG?f=added`)
  await expect(page.locator('[data-number]')).toHaveCount(1)
  const readAdded = async () => {
    const path = 'GET /api/v1/tasks?q=added'
    const data = await list<{ title: string; due_date: string }>(path)
    return data
  }
  await expect.poll(readAdded).toMatchObject([{ title: 'Added here', due_date: inMonth(13) }])

  // By pointer, also a task without a due date, and back by an undo.
  await page.goto(`/w/${team.workspace}/p/ENG?view=calendar`)
  await calendarTask(12).dragTo(day(page, inMonth(11)))
  await expect.poll(due).toBe(inMonth(11))
  await expect(calendarTask(11)).toBeVisible()
  await page.keyboard.press('Control+z')
  await expect.poll(due).toBe(inMonth(12))
  await page.getByRole('button', { name: '1 without due date' }).click()
  // Until the task is loaded, only its number is there.
  await page.locator('.plan-slip a').waitFor()
  await page.locator('.plan-slip').dragTo(day(page, inMonth(14)))
  await expect(day(page, inMonth(14)).locator('[data-number="6"]')).toBeVisible()
  await page.getByRole('button', { name: 'Period: Month' }).click()
  await page.locator('[role^="menuitem"]').filter({ hasText: 'Week' }).click()
  await expect(page.locator('[data-day]')).toHaveCount(7)
})

browserTest('gives the focus back, and is a list on a phone', async (fixture) => {
  const { ask } = fixture
  const { page, calendarTask } = await openCalendar(fixture, () =>
    ask('owner', 'PATCH /api/v1/tasks/ENG-6', { priority: 'low' }),
  )
  // A panel that is closed gives the focus back, and the selection is said.
  const link = calendarTask(12).locator('a')
  await link.press('Enter')
  await expect(page.locator('.panel [data-heading]')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(link).toBeFocused()
  // On a phone it is a list, of the days that have tasks.
  await page.setViewportSize({ width: 360, height: 740 })
  if (inMonth(13) < dateFromToday(0)) await page.getByText(/^Show \d earlier days?/).click()
  await page.locator('.agenda').getByText('Task 1').click()
  await expect(page).toHaveURL(/task=ENG-1/)
})
