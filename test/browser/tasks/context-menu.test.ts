import type { Page } from '@playwright/test'
import { browserTest, expect } from '../support/browser-test.ts'
import { press } from '../support/page-actions.ts'
import { seedTasks } from '../support/seed.ts'

const menuOf = (page: Page, name: string) => page.getByRole('menu', { name })
const entry = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })

/** Rests a finger on a place for longer than a tap. */
async function holdFinger(page: Page, { x, y }: { x: number; y: number }): Promise<void> {
  const client = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints })
  await touch('touchStart', [{ x, y }])
  await page.waitForTimeout(700)
  await touch('touchEnd', [])
}

browserTest('a right click on a row opens its menu, for the selection too', async (fixture) => {
  const { openAs, ask, team } = fixture
  await seedTasks(fixture, 4, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const read = async () => {
    const path = `GET /api/v1/projects/${team.project}/tasks?limit=10&sort=number`
    const { data } = await ask<{
      data: { start_date: string | null; estimate_seconds: number | null; priority: string }[]
    }>('owner', path)
    return data
  }
  const page = await openAs('member', 'p/ENG')
  const row = (n: number) => page.getByRole('row', { name: `Task ${n}` })
  await row(1).waitFor()
  await row(1).click({ button: 'right', position: { x: 300, y: 10 } })
  await expect(menuOf(page, 'ENG-1')).toBeVisible()
  await expect(entry(page, 'Status').locator('kbd')).toHaveText('S')
  // It opens at the pointer.
  const [box, menu] = [await row(1).boundingBox(), await menuOf(page, 'ENG-1').boundingBox()]
  expect(Math.abs((menu?.x ?? 0) - ((box?.x ?? 0) + 300))).toBeLessThan(20)
  await page.keyboard.press('Escape')
  await expect(menuOf(page, 'ENG-1')).toBeHidden()
  await expect(row(1)).toBeFocused()

  await row(2).click({ button: 'right' })
  await entry(page, 'Start date').click()
  const dates = page.getByRole('dialog', { name: 'Start date of ENG-2' })
  await dates.getByRole('combobox').or(dates.getByRole('textbox')).first().fill('2026-12-24')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await read())[1]?.start_date).toBe('2026-12-24')

  // By key, of a row in the selection: it is for all of them.
  await row(3).click({ position: { x: 300, y: 10 } })
  await press(page, 'x', 'Shift+J')
  await expect(page.getByText('2 selected')).toBeVisible()
  await page.keyboard.press('Shift+F10')
  await expect(menuOf(page, '2 tasks')).toBeVisible()
  await entry(page, 'Estimate').click()
  await page.getByRole('dialog', { name: 'Estimate of 2 tasks' }).waitFor()
  await page.keyboard.type('2h')
  await page.keyboard.press('Enter')
  const hours = (at: number) => async () => (await read())[at]?.estimate_seconds
  await expect.poll(hours(2)).toBe(7_200)
  await expect.poll(hours(3)).toBe(7_200)
  expect(await hours(0)()).toBe(null)
})

browserTest('a long press opens the menu of a row and of a card', async (fixture) => {
  await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await fixture.openAs('member', 'p/ENG', {
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 740 },
  })
  for (const address of ['p/ENG', 'p/ENG?view=board']) {
    await page.goto(`/w/${fixture.team.workspace}/${address}`)
    const title = page.locator('[data-task]').getByText('Task 2', { exact: true })
    const box = await title.boundingBox()
    await holdFinger(page, { x: (box?.x ?? 0) + 10, y: (box?.y ?? 0) + 8 })
    await expect(menuOf(page, 'ENG-2')).toBeVisible()
    await expect(page.locator('kbd:visible')).toHaveCount(0)
    // The finger has not opened the task itself.
    await expect(page).toHaveURL(new RegExp(`${address.replace('?', '\\?')}$`))
    await page.keyboard.press('Escape')
    await expect(menuOf(page, 'ENG-2')).toBeHidden()
  }
})
