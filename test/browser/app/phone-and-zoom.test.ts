import type { Locator, Page } from '@playwright/test'
import { browserTest, expect } from '../support/browser-test.ts'
import { openScreen } from '../support/page-actions.ts'
import { findClippedTexts } from '../support/screens/clipped-texts.ts'
import { seedTasks } from '../support/seed.ts'

const PHONE = { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true }

/** Moves a finger sideways over a row. */
async function swipe(page: Page, row: Locator, by: number, hint?: string): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  const box = await row.boundingBox()
  if (!box) throw new Error('The row is not shown')
  const y = box.y + box.height / 2
  const from = by > 0 ? 80 : 320
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: number[]) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map((x) => ({ x, y })) })
  // Sent at once, because a finger that rests on a slow machine picks the row up.
  await Promise.all([
    touch('touchStart', from),
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((step) => touch('touchMove', from + (by * step) / 8)),
  ])
  if (hint) await expect(page.locator('.swipe-hint')).toHaveText(hint)
  await touch('touchEnd')
}

browserTest('a swipe completes a task, or puts it off, with undo', async (fixture) => {
  const { openAs, team, ask } = fixture
  const assignee_ids = [team.people.member.id]
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'Errand', assignee_ids }))
  const readStatus = async () =>
    (await ask<{ status: string }>('owner', `GET /api/v1/tasks/${task?.id}`)).status
  const page = await openAs('member', 'inbox', PHONE)
  for (const path of ['p/ENG', 'my']) {
    await openScreen(page, `/w/${team.workspace}/${path}`)
    const row = page.locator('.list .row').filter({ hasText: 'Errand' })
    const undo = page.getByRole('button', { name: 'Undo' })
    await expect(row.getByRole('button', { name: /Complete/ })).toBeVisible()
    // Too short to mean it.
    await swipe(page, row, 50)
    await swipe(page, row, 160, 'Complete')
    // While it has the focus, its message stays.
    await undo.focus()
    await expect.poll(readStatus).toBe('done')
    await undo.click()
    await expect.poll(readStatus).toBe('todo')

    await swipe(page, row, -160)
    const field = page.getByRole('dialog').getByRole('textbox').first()
    await expect(field).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(field).toBeHidden()
  }
})

browserTest('on a phone, a menu has what the sidebar has', async ({ openAs, allow }) => {
  // A report that takes too long on a slow machine is asked for again.
  allow(/status of 503 .*\/internal\/reports\//)
  const page = await openAs('owner', 'my', PHONE)
  const bar = page.getByRole('navigation', { name: 'Main (compact)' })
  const choose = async (name: string) => {
    await bar.getByRole('button', { name: 'Menu' }).tap()
    await page.getByRole('menu', { name: 'Menu' }).getByRole('menuitem', { name }).tap()
  }
  await choose('Search')
  const search = page.getByRole('dialog').getByRole('combobox')
  await expect(search).toBeFocused()
  await search.press('Escape')
  await choose('Settings')
  await expect(page).toHaveURL(/\/settings\/profile$/)
  await choose('Reports')
  await expect(page).toHaveURL(/\/reports/)
  await choose('Trash')
  await expect(page).toHaveURL(/\/trash/)
  await choose('New workspace')
  await expect(page.getByRole('dialog', { name: 'New workspace' })).toBeVisible()
  await page.keyboard.press('Escape')
  await choose('Sign out')
  await expect(page).toHaveURL(/\/sign-in/)
})

browserTest('at 400 % zoom no screen scrolls sideways or cuts a text', async (fixture) => {
  const { as, team } = fixture
  const [task] = await seedTasks(fixture, 8)
  // A screen of 1,280 × 1,024 px at 400 %.
  const page = await as('owner', { viewport: { width: 320, height: 256 } })
  const inside = `/w/${team.workspace}`
  await page.goto(`${inside}/my`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const paths = ['p/ENG', `t/${task?.short_id}`, 'inbox', 'projects', 'settings/profile']
  for (const path of paths) {
    await openScreen(page, `${inside}/${path}`)
    await expect(page.locator('.bones')).toHaveCount(0)
    expect(await findClippedTexts(page), path).toEqual([])
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, path).toBe(320)
  }
})
