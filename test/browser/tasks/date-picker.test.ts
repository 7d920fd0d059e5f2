import assert from 'node:assert/strict'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { openScreen } from '../support/page-actions.ts'
import { seedTasks } from '../support/seed.ts'

browserTest('the date picker works by keyboard alone and by pointer', async (fixture) => {
  const { openAs, team, ask } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'Task', status: 'todo' }))
  assert.ok(task)
  await ask('owner', `PATCH /api/v1/tasks/${task.id}`, { due_date: '2028-01-31' })
  const page = await openAs('member', `t/${task.short_id}`)
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

  // In a list, a date loses its time, and several tasks lose different dates at once.
  await seedTasks(fixture, 1, () => ({
    title: 'Other',
    status: 'todo',
    due_at: '2028-02-05T11:30:00Z',
  }))
  await ask('owner', `PATCH /api/v1/tasks/${task.id}`, { due_at: '2028-01-31T11:30:00Z' })
  const read = (number: number) => ask('owner', `GET /api/v1/tasks/ENG-${number}`)
  await openScreen(page, `/w/${team.workspace}/p/ENG`)
  await expect(page.locator('[data-number="1"]')).toContainText('31 Jan')
  await page.locator('[data-number="1"]').focus()
  await press('d')
  await page.getByLabel('Time', { exact: true }).fill('')
  await press('Escape')
  await expect.poll(() => read(1)).toMatchObject({ due_date: '2028-01-31', due_at: null })
  await press('ControlOrMeta+a')
  await expect(page.getByText('2 selected')).toBeVisible()
  await press('d')
  await page.getByRole('button', { name: 'No date' }).click()
  for (const number of [1, 2])
    await expect.poll(() => read(number)).toMatchObject({ due_date: null, due_at: null })
})
