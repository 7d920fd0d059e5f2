import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { holdUndo, pressUndo } from '../support/page-actions.ts'
import { archiveOpenProject, dateFromToday, seedTasks } from '../support/seed.ts'

interface TimelineDates {
  start_date: string | null
  due_date: string | null
  due_at: string | null
}

const row = (page: Page, number: number) => page.locator(`.plan-row[data-number="${number}"]`)
const bar = (page: Page, number: number) => row(page, number).locator('.plan-span')

/** Drags from the position sideways by a number of px. */
async function dragBy(page: Page, box: { x: number; y: number } | null, by: number): Promise<void> {
  if (!box) throw new Error('Nothing to draw')
  await page.mouse.move(box.x, box.y)
  await page.mouse.down()
  await page.mouse.move(box.x + by / 2, box.y, { steps: 3 })
  await page.mouse.move(box.x + by, box.y, { steps: 3 })
  await page.mouse.up()
}

browserTest('moves and resizes timeline bars by pointer, keyboard and menu', async (fixture) => {
  const { openAs, ask, allow } = fixture
  allow(412)
  const [first, second] = await seedTasks(fixture, 3, (n) => ({
    title: `Task ${n + 1}`,
    ...(n < 2 && { start_date: dateFromToday(n * 3), due_date: dateFromToday(n * 3 + 2) }),
  }))
  await ask('owner', `PATCH /api/v1/tasks/${second?.id}`, { blocked_by_ids: [first?.id] })
  const dates = async (id: string | undefined) => {
    const { start_date, due_date } = await ask<TimelineDates>('owner', `GET /api/v1/tasks/${id}`)
    return [start_date, due_date]
  }
  const page = await openAs('member', 'p/ENG')
  await expect(page.locator('.list [data-number]')).toHaveCount(3)
  await page.keyboard.press('3')
  await expect(page).toHaveURL(/view=timeline/)
  await expect(bar(page, 1)).toBeVisible()
  await expect(row(page, 1)).toContainText('Task 1')
  await expect(page.locator('.plan-links path')).toHaveCount(1)
  await expect(page.getByText('Blocker ends later')).toHaveCount(0)

  // A week is 98 px wide, so 28 px are two days.
  const box = await bar(page, 1).boundingBox()
  await dragBy(page, box && { x: box.x + box.width / 2, y: box.y + 8 }, 28)
  await holdUndo(page)
  await expect.poll(() => dates(first?.id)).toEqual([dateFromToday(2), dateFromToday(4)])
  await expect(page.getByText('Blocker ends later')).toBeVisible()
  await expect(row(page, 2)).toContainText('blocked by ENG-1, which ends later')
  await pressUndo(page)
  await expect.poll(() => dates(first?.id)).toEqual([dateFromToday(0), dateFromToday(2)])
  await expect(page.getByText('Blocker ends later')).toHaveCount(0)

  // Dragging an end resizes the bar; neither end passes the other.
  const end = await bar(page, 1).boundingBox()
  await dragBy(page, end && { x: end.x + end.width - 1, y: end.y + 8 }, 14)
  await expect.poll(() => dates(first?.id)).toEqual([dateFromToday(0), dateFromToday(3)])
  const begin = await bar(page, 1).boundingBox()
  await dragBy(page, begin && { x: begin.x + 1, y: begin.y + 8 }, 140)
  await expect.poll(() => dates(first?.id)).toEqual([dateFromToday(3), dateFromToday(3)])

  await row(page, 1).focus()
  await page.keyboard.press('Alt+ArrowLeft')
  await expect.poll(() => dates(first?.id)).toEqual([dateFromToday(2), dateFromToday(2)])
  await page.keyboard.press('Shift+Alt+ArrowRight')
  await expect.poll(() => dates(first?.id)).toEqual([dateFromToday(2), dateFromToday(3)])
  await page.keyboard.press('Shift+Alt+ArrowUp')
  await expect.poll(() => dates(first?.id)).toEqual([dateFromToday(1), dateFromToday(3)])

  await row(page, 1).getByRole('button', { name: 'Dates of ENG-1' }).click()
  await page.getByRole('menuitem', { name: 'Move one week later' }).click()
  await expect.poll(() => dates(first?.id)).toEqual([dateFromToday(8), dateFromToday(10)])

  // A picker changes its date only, and not the other one that somebody has changed meanwhile.
  await row(page, 1).getByRole('button', { name: 'Dates of ENG-1' }).click()
  await page.getByRole('menuitem', { name: 'Due date …' }).click()
  const words = page.getByRole('textbox', { name: 'Enter a date' })
  await expect(words).toBeFocused()
  await ask('owner', `PATCH /api/v1/tasks/${first?.id}`, { start_date: dateFromToday(4) })
  await expect.poll(async () => (await bar(page, 1).boundingBox())?.width).toBeGreaterThan(60)
  await words.fill(dateFromToday(12))
  await page.keyboard.press('Enter')
  await expect.poll(() => dates(first?.id)).toEqual([dateFromToday(4), dateFromToday(12)])

  // A task without dates is dragged from the tray onto a day.
  await expect(row(page, 3)).toHaveCount(0)
  await page.getByRole('button', { name: '1 without dates' }).click()
  const slip = await page.locator('.plan-slip').boundingBox()
  const now = await page.locator('.plan-lines .now').boundingBox()
  if (!slip || !now) throw new Error('There is no tray')
  await page.mouse.move(slip.x + 20, slip.y + 10)
  await page.mouse.down()
  await page.mouse.move(now.x + 20, 300, { steps: 4 })
  await page.mouse.move(now.x + 1, 300, { steps: 4 })
  await page.mouse.up()
  await expect(bar(page, 3)).toBeVisible()
  await expect(page.locator('.tray')).toHaveCount(0)
})

browserTest('renders visible rows only, and is read-only on a phone', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 300, (n) => ({
    title: `Task ${n + 1}`,
    status: 'todo',
    start_date: dateFromToday(n - 150),
    due_date: dateFromToday(n - 140),
  }))
  const page = await as('member')
  const address = `/w/${team.workspace}/p/ENG?view=timeline`
  await page.goto(address)
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '302')
  await page.locator('.scroll').evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight))
  await expect(row(page, 300)).toContainText('Task 300')
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  expect(nodes).toBeLessThan(3_000)
  await row(page, 300).focus()
  await page.keyboard.press('k')
  await expect(row(page, 299)).toBeFocused()
  await expect(bar(page, 299)).toBeInViewport()

  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(address)
  await expect(bar(page, 1)).toHaveAttribute('data-fixed', 'true')
  await expect(page.getByText(/^Use a wider screen to move dates/)).toBeVisible()
  await assertAccessible(page, { themes: ['light'] })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await archiveOpenProject(fixture)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(address)
  await expect(bar(page, 1)).toHaveAttribute('data-fixed', 'true')
})
