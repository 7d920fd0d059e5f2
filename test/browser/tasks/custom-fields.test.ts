import type { Page } from '@playwright/test'
import { browserTest, expect } from '../support/browser-test.ts'
import { seedTasks } from '../support/seed.ts'

const rows = (page: Page) => page.locator('[data-number]')
const numbers = (page: Page) =>
  rows(page).evaluateAll((all) => all.map((row) => Number(row.getAttribute('data-number'))))
const conditions = (page: Page) => page.getByRole('group', { name: 'Filter conditions' })
const item = (page: Page, name: string) =>
  page.locator('[role^="menuitem"]').filter({ hasText: name })

browserTest('filters, groups and sorts by custom fields and repetition', async (fixture) => {
  const FIELDS = [{ points: 10 }, { points: 2.5 }, { points: 10, customer: 'Acme' }, {}]
  await seedTasks(fixture, 4, (n) => ({
    title: `Task ${n + 1}`,
    custom_fields: FIELDS[n],
    ...(n === 1 && { recurrence: { rrule: 'FREQ=WEEKLY;INTERVAL=2', basis: 'completion' } }),
  }))
  const page = await fixture.openAs('member', 'p/ENG?group=none')
  await expect(rows(page)).toHaveCount(4)
  await page.getByRole('button', { name: 'Sort Manual' }).click()
  await item(page, 'points').click()
  await expect.poll(() => numbers(page)).toEqual([2, 1, 3, 4])

  await page.getByRole('button', { name: 'More', exact: true }).click()
  await item(page, 'Columns').click()
  await item(page, 'points').click()
  await expect(page.getByRole('columnheader', { name: 'points' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await item(page, 'Columns').click()
  await item(page, 'Repeat').click()
  await page.keyboard.press('Escape')
  const second = page.locator('[data-number="2"]')
  await expect(second).toContainText('2.5')
  await expect(second).toContainText('Every 2 weeks')

  await page.getByRole('button', { name: 'Group No grouping' }).click()
  await item(page, 'points').click()
  await expect(
    page.getByRole('rowgroup', { name: 'points: 10' }).locator('[data-task]'),
  ).toHaveCount(2)

  // The copy of the browser has the fields as well.
  await page.reload()
  await expect(second).toContainText('2.5')
  await page.keyboard.press('/')
  await page.getByRole('combobox').fill('customer:acme')
  await page.keyboard.press('Enter')
  await expect(conditions(page)).toContainText('customer is Acme')
  await expect.poll(() => numbers(page)).toEqual([3])
  await expect(page).toHaveURL(/f=field.customer%3AAcme/)
  await page.goto(`/w/${fixture.team.workspace}/p/ENG?f=-repeat:none`)
  await expect.poll(() => numbers(page)).toEqual([2])
  await expect(conditions(page)).toContainText('Repeat is not none')
})
