import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { dayFrom, seedTasks } from './support/seed.ts'

interface Dated {
  start_date: string | null
  due_date: string | null
  due_at: string | null
}

const row = (page: Page, number: number) => page.locator(`.plan-row[data-number="${number}"]`)
const bar = (page: Page, number: number) => row(page, number).locator('.plan-span')

/** Draws something so many px aside. */
async function draw(page: Page, box: { x: number; y: number } | null, by: number): Promise<void> {
  if (!box) throw new Error('Nothing to draw')
  await page.mouse.move(box.x, box.y)
  await page.mouse.down()
  await page.mouse.move(box.x + by / 2, box.y, { steps: 3 })
  await page.mouse.move(box.x + by, box.y, { steps: 3 })
  await page.mouse.up()
}

browse('bars are moved and made longer by pointer, by keys and from a menu', async (scene) => {
  const { as, ask, team } = scene
  const [first, second] = await seedTasks(scene, 3, (n) => ({
    title: `Task ${n + 1}`,
    ...(n < 2 && { start_date: dayFrom(n * 3), due_date: dayFrom(n * 3 + 2) }),
  }))
  await ask('owner', `PATCH /api/v1/tasks/${second?.id}`, { blocked_by_ids: [first?.id] })
  const dates = async (id: string | undefined) => {
    const { start_date, due_date } = await ask<Dated>('owner', `GET /api/v1/tasks/${id}`)
    return [start_date, due_date]
  }
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.locator('.list [data-number]')).toHaveCount(3)
  await page.keyboard.press('3')
  await expect(page).toHaveURL(/view=timeline/)
  await expect(bar(page, 1)).toBeVisible()
  await expect(row(page, 1)).toContainText('Task 1')
  await accessible(page)
  await expect(page.locator('.plan-links path')).toHaveCount(1)
  await expect(page.getByText('Blocker ends later')).toHaveCount(0)

  // A week is 98 px: two days later.
  const box = await bar(page, 1).boundingBox()
  await draw(page, box && { x: box.x + box.width / 2, y: box.y + 8 }, 28)
  await expect.poll(() => dates(first?.id)).toEqual([dayFrom(2), dayFrom(4)])
  await expect(page.getByText('Blocker ends later')).toBeVisible()
  await expect(row(page, 2)).toContainText('waits for ENG-1, which ends later')
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.keyboard.press('Control+z')
  await expect.poll(() => dates(first?.id)).toEqual([dayFrom(0), dayFrom(2)])
  await expect(page.getByText('Blocker ends later')).toHaveCount(0)

  // By its ends; neither passes the other.
  const end = await bar(page, 1).boundingBox()
  await draw(page, end && { x: end.x + end.width - 1, y: end.y + 8 }, 14)
  await expect.poll(() => dates(first?.id)).toEqual([dayFrom(0), dayFrom(3)])
  const begin = await bar(page, 1).boundingBox()
  await draw(page, begin && { x: begin.x + 1, y: begin.y + 8 }, 140)
  await expect.poll(() => dates(first?.id)).toEqual([dayFrom(3), dayFrom(3)])

  await row(page, 1).focus()
  await page.keyboard.press('Alt+ArrowLeft')
  await expect.poll(() => dates(first?.id)).toEqual([dayFrom(2), dayFrom(2)])
  await page.keyboard.press('Shift+Alt+ArrowRight')
  await expect.poll(() => dates(first?.id)).toEqual([dayFrom(2), dayFrom(3)])
  await page.keyboard.press('Shift+Alt+ArrowUp')
  await expect.poll(() => dates(first?.id)).toEqual([dayFrom(1), dayFrom(3)])

  await row(page, 1).getByRole('button', { name: 'Dates of ENG-1' }).click()
  await page.getByRole('menuitem', { name: 'Move a week later' }).click()
  await expect.poll(() => dates(first?.id)).toEqual([dayFrom(8), dayFrom(10)])

  // What has no day waits in the tray, and is drawn onto one.
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

for (const timezoneId of ['Pacific/Kiritimati', 'America/St_Johns']) {
  browse(`days stay days on a device in ${timezoneId}`, async (scene) => {
    const { as, ask, team } = scene
    const [task] = await seedTasks(scene, 1, () => ({
      ...{ title: 'Dated', start_date: '2026-11-01', due_date: '2026-11-01' },
    }))
    const read = async () => {
      const { start_date, due_date } = await ask<Dated>('owner', `GET /api/v1/tasks/${task?.id}`)
      return [start_date, due_date]
    }
    const page = await as('member', { timezoneId })
    await page.goto(`/w/${team.workspace}/p/ENG?view=timeline`)
    await row(page, 1).focus()
    await expect(row(page, 1)).toContainText('Sun 1 Nov to Sun 1 Nov')
    await page.keyboard.press('Alt+ArrowRight')
    await expect.poll(read).toEqual(['2026-11-02', '2026-11-02'])
    await page.keyboard.press('Alt+ArrowLeft')
    await expect.poll(read).toEqual(['2026-11-01', '2026-11-01'])
  })
}

browse('on a phone a timeline is read, and what is archived is not moved', async (scene) => {
  const { as, team } = scene
  await seedTasks(scene, 2, () => ({ title: 'Dated', due_date: dayFrom(1) }))
  const page = await as('member', { viewport: { width: 360, height: 740 } })
  await page.goto(`/w/${team.workspace}/p/ENG?view=timeline`)
  await expect(bar(page, 1)).toHaveAttribute('data-fixed', 'true')
  await expect(page.getByText(/^Dates are moved on a wider screen/)).toBeVisible()
  await accessible(page)
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth)
  await expect.poll(overflow).toBeLessThanOrEqual(360)
  await page.goto(`/w/${team.workspace}/p/ENG?view=calendar`)
  await expect(page.locator('.agenda a')).toHaveCount(2)
  await accessible(page)
  await expect.poll(overflow).toBeLessThanOrEqual(360)
  const owner = await as('owner')
  await owner.goto(`/w/${team.workspace}/my`)
  const address = `/internal/projects/${team.project}/archive`
  const archived = await owner.evaluate(
    async (to) => (await fetch(to, { method: 'POST' })).status,
    address,
  )
  expect(archived).toBe(200)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`/w/${team.workspace}/p/ENG?view=timeline`)
  await expect(bar(page, 1)).toHaveAttribute('data-fixed', 'true')
})

browse('of many bars few are in the page, and the keys go through all', async (scene) => {
  const { as, team } = scene
  await seedTasks(scene, 1_200, (n) => ({
    ...{ title: `Task ${n + 1}`, status: 'todo' },
    ...{ start_date: dayFrom((n % 400) - 200), due_date: dayFrom((n % 400) - 190) },
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?view=timeline`)
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '1202')
  await page.locator('.scroll').evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight))
  await expect(row(page, 1_200)).toContainText('Task 1200')
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  expect(nodes).toBeLessThan(3_000)
  await row(page, 1_200).focus()
  await page.keyboard.press('k')
  await expect(row(page, 1_199)).toBeFocused()
  await expect(bar(page, 1_199)).toBeInViewport()
})
