import assert from 'node:assert/strict'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { seedTasks } from '../support/seed.ts'

browserTest('the date picker works by keyboard alone and by pointer', async (fixture) => {
  const { as, team, ask } = fixture
  const [task] = await seedTasks(fixture, 1)
  assert.ok(task)
  await ask('owner', `PATCH /api/v1/tasks/${task.id}`, { due_date: '2028-01-31' })
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  const due = page.getByRole('button', { name: /^Due date: / })
  const press = (key: string) => page.keyboard.press(key)
  const expectFocused = (name: string) =>
    expect(page.getByRole('button', { name, exact: true })).toBeFocused()

  // Tab goes from the field over both month buttons to the selected day, which is one tab stop.
  await due.click()
  await expect(page.getByRole('textbox', { name: 'Enter a date' })).toBeFocused()
  await press('Tab')
  await expectFocused('Previous month')
  await press('Tab')
  await expectFocused('Next month')
  await press('Tab')
  await expectFocused('Monday 31 January 2028, selected')
  const grid = page.getByRole('grid', { name: 'January 2028' })
  await expect(grid.getByRole('gridcell', { selected: true })).toHaveText('31')
  await assertAccessible(page)

  const dayAfterKey = {
    ArrowRight: 'Tuesday 1 February 2028',
    PageDown: 'Wednesday 1 March 2028',
    ArrowLeft: 'Tuesday 29 February 2028',
    'Shift+PageDown': 'Wednesday 28 February 2029',
    'Shift+PageUp': 'Monday 28 February 2028',
    ArrowUp: 'Monday 21 February 2028',
    Home: 'Tuesday 1 February 2028',
    End: 'Tuesday 29 February 2028',
    PageUp: 'Saturday 29 January 2028',
    ArrowDown: 'Saturday 5 February 2028',
  }
  for (const [key, day] of Object.entries(dayAfterKey)) {
    await press(key)
    await expectFocused(day)
  }

  // Changing the month is announced and typing a date shows it; neither moves the focus.
  await press('Shift+Tab')
  await press('Enter')
  await expectFocused('Next month')
  await expect(page.getByRole('status').filter({ hasText: 'March 2028' })).toBeAttached()
  const words = page.getByRole('textbox', { name: 'Enter a date' })
  await words.fill('2029-05-02')
  await page.getByRole('grid', { name: 'May 2029' }).waitFor()
  await expect(words).toBeFocused()
  await words.fill('')

  // The year 9999 is the last that is accepted.
  await words.fill('9999-12-31')
  for (const _ of [1, 2, 3]) await press('Tab')
  await expectFocused('Friday 31 December 9999')
  await press('ArrowRight')
  await expectFocused('Friday 31 December 9999')
  await press('Escape')
  await expect(due).toBeFocused()

  await due.click()
  for (const key of ['Tab', 'Tab', 'Tab', 'ArrowLeft', 'Enter']) await press(key)
  await expect(due).toContainText('30 Jan')
  await expect(due).toBeFocused()
  await due.click()
  await page.getByRole('button', { name: 'Wednesday 12 January 2028' }).click()
  await expect(due).toContainText('12 Jan')
  const saved = () => ask<{ due_date: string }>('owner', `GET /api/v1/tasks/${task.id}`)
  await expect.poll(async () => (await saved()).due_date).toBe('2028-01-12')
})

browserTest(
  'clears the time of a due date, and different dates of several tasks',
  async (fixture) => {
    const { as, team, ask } = fixture
    const [task, other] = await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}` }))
    assert.ok(task && other)
    const read = async ({ id } = task) => {
      const path = `GET /api/v1/tasks/${id}`
      const { due_date, due_at } = await ask<{ due_date: string; due_at: string | null }>(
        'owner',
        path,
      )
      return [due_date, due_at]
    }
    await ask('owner', `PATCH /api/v1/tasks/${task.id}`, { due_at: '2028-01-31T11:30:00Z' })
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await page.getByText(task.title, { exact: true }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('d')
    await page.getByLabel('Time', { exact: true }).fill('')
    await page.keyboard.press('Escape')
    await expect.poll(() => read()).toEqual(['2028-01-31', null])

    await ask('owner', `PATCH /api/v1/tasks/${other.id}`, { due_at: '2028-02-05T11:30:00Z' })
    await expect(page.locator('[data-number="2"]')).toContainText('5 Feb')
    await page.keyboard.press('x')
    await page.keyboard.press('Shift+J')
    await page.keyboard.press('d')
    await page.getByRole('button', { name: 'No date' }).click()
    await expect.poll(() => read(task)).toEqual([null, null])
    await expect.poll(() => read(other)).toEqual([null, null])
  },
)
