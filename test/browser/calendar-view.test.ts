import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { dayFrom, seedTasks } from './support/seed.ts'

const day = (page: Page, date: string) => page.locator(`[data-day="${date}"]`)

/** The 10th to the 14th of this month lie in its grid, whatever day it is. */
const inMonth = (date: number) => `${dayFrom(0).slice(0, 8)}${String(date).padStart(2, '0')}`

browse('tasks move between days by pointer, by keys and from a menu', async (scene) => {
  const { as, ask, team } = scene
  const [first] = await seedTasks(scene, 6, (n) => ({
    title: `Task ${n + 1}`,
    ...(n < 5 && { due_date: inMonth(n === 0 ? 12 : 13) }),
  }))
  const due = async () => {
    const path = `GET /api/v1/tasks/${first?.id}`
    return (await ask<{ due_date: string }>('owner', path)).due_date
  }
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?view=calendar`)
  const slip = (date: number) => day(page, inMonth(date)).locator('[data-number="1"]')
  await expect(slip(12)).toContainText('Task 1')
  await accessible(page)

  await slip(12).dragTo(day(page, inMonth(11)))
  await expect.poll(due).toBe(inMonth(11))
  await expect(slip(11)).toBeVisible()
  await page.keyboard.press('Control+z')
  await expect.poll(due).toBe(inMonth(12))

  // Arrows lead through the days, Tab to what is due on one; the focus goes along with what is moved.
  await day(page, dayFrom(0)).focus()
  await page.keyboard.press('PageDown')
  await page.keyboard.press('PageUp')
  const at = Number(dayFrom(0).slice(8))
  const step = at > 12 ? 'ArrowLeft' : 'ArrowRight'
  for (let n = 0; n < Math.abs(at - 12); n += 1) await page.keyboard.press(step)
  await expect(day(page, inMonth(12))).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(slip(12).locator('a')).toBeFocused()
  await page.keyboard.press('Alt+ArrowRight')
  await expect.poll(due).toBe(inMonth(13))

  // Of what a day has no room for it says how much; the day opens, with all of it and a line for more.
  await day(page, inMonth(13))
    .getByRole('button', { name: /^\+\d+ more$/ })
    .click()
  const sheet = page.getByRole('dialog')
  await expect(sheet.locator('li')).toHaveCount(5)
  await accessible(page)
  await sheet.getByRole('button', { name: 'Dates of ENG-1' }).click()
  await page.getByRole('menuitem', { name: 'Move a day earlier' }).click()
  await expect.poll(due).toBe(inMonth(12))
  await sheet.getByLabel(/^New task due/).fill('Added here')
  await page.keyboard.press('Enter')
  await expect(sheet.getByText('Added here')).toBeVisible()
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  await page.goto(`/w/${team.workspace}/p/ENG?f=added`)
  await expect(page.locator('[data-number]')).toHaveCount(1)
  const added = await ask<{ data: { title: string; due_date: string }[] }>(
    'owner',
    'GET /api/v1/tasks?q=added',
  )
  expect(added.data).toMatchObject([{ title: 'Added here', due_date: inMonth(13) }])

  // What is due on no day waits under the grid; a week has the same days.
  await page.goto(`/w/${team.workspace}/p/ENG?view=calendar`)
  await page.getByRole('button', { name: '1 without due date' }).click()
  await page.locator('.plan-slip').dragTo(day(page, inMonth(14)))
  await expect(day(page, inMonth(14)).locator('[data-number="6"]')).toBeVisible()
  await page.getByRole('button', { name: 'Period: Month' }).click()
  await page.locator('[role^="menuitem"]').filter({ hasText: 'Week' }).click()
  await expect(page.locator('[data-day]')).toHaveCount(7)
})
