import assert from 'node:assert/strict'
import { expect } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { dayFrom, seedTasks } from './support/seed.ts'

const DAYS = [-2, 0, 3, 30, undefined]
const SECTIONS = ['Overdue', 'Today', 'Next 7 days', 'Later', 'Without a date']

browse('my work stands by day, and is done in place', async ({ as, team, ask }) => {
  const tasks = await seedTasks({ ask, team }, 7, (n, { people }) => {
    const day = DAYS[n]
    return {
      title: `Errand ${n + 1}`,
      assignee_ids: [n === 6 ? people.owner.id : people.member.id],
      ...(day !== undefined && { due_date: dayFrom(day) }),
      ...(n === 1 && { estimate_seconds: 7_200 }),
    }
  })
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(['Projects', ...SECTIONS])
  for (const [at, name] of SECTIONS.entries()) {
    await expect(page.getByRole('region', { name })).toContainText(`Errand ${at + 1}`)
  }
  await expect(page.getByText('Errand 7')).toHaveCount(0)
  await accessible(page)

  // Completed by the keyboard; the toast and Mod+Z take it back.
  const row = page.getByRole('listitem').filter({ hasText: 'Errand 1' })
  const mark = row.getByRole('button', { name: /Complete or reopen/ })
  await mark.focus()
  const [done] = await Promise.all([
    page.waitForResponse((reply) => reply.url().endsWith('/complete')),
    page.keyboard.press('Enter'),
  ])
  assert.equal(done.status(), 200)
  await expect(mark).toHaveAccessibleName(/^Done/)
  await expect(mark).toBeFocused()
  await page.keyboard.press('Control+z')
  await expect(mark).toHaveAccessibleName(/^Todo|^To do/i)
  await expect
    .poll(async () => {
      const task = await ask<{ status_category: string }>(
        'owner',
        `GET /api/v1/tasks/${tasks[0]?.id}`,
      )
      return task.status_category
    })
    .toBe('unstarted')

  // Undone while the change is still on its way: what is meant last is what holds.
  await page.route('**/complete', async (route) => {
    await new Promise((later) => setTimeout(later, 400))
    await route.continue()
  })
  await mark.press('Enter')
  await page.keyboard.press('Control+z')
  await expect(mark).toHaveAccessibleName(/^Todo|^To do/i)
  await expect
    .poll(async () => {
      const { version } = await ask<{ version: number }>(
        'owner',
        `GET /api/v1/tasks/${tasks[0]?.id}`,
      )
      return version
    })
    .toBe(5)
  const now = await ask<{ status_category: string }>('owner', `GET /api/v1/tasks/${tasks[0]?.id}`)
  assert.equal(now.status_category, 'unstarted')

  await row.getByRole('link', { name: 'Errand 1' }).press('Enter')
  await expect(page).toHaveURL(/my\?task=ENG-1$/)
  await expect(page.getByRole('complementary', { name: 'Task ENG-1' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/my$/)
  await expect(row.getByRole('link').first()).toBeFocused()

  for (const tab of ['Created', 'Blocked', 'Done', 'Assigned']) {
    await page.getByRole('button', { name: tab, exact: true }).click()
    await expect(page.getByRole('button', { name: tab, exact: true })).toHaveAttribute(
      'aria-current',
      'page',
    )
  }
  // `c` asks for the project, and begins there.
  await page.keyboard.press('c')
  await page.getByRole('combobox', { name: 'Find or do' }).press('Enter')
  await page.waitForURL('**/p/ENG')
  await expect(page.getByRole('textbox', { name: /new task/i })).toBeFocused()

  const phone = await as('member', { viewport: { width: 360, height: 740 }, hasTouch: true })
  await phone.goto(`/w/${team.workspace}/my`)
  await expect(phone.getByRole('region', { name: 'Overdue' })).toBeVisible()
  const { scrollWidth } = await phone.evaluate(() => document.documentElement)
  assert.ok(scrollWidth === undefined || scrollWidth <= 360)
  assert.equal(
    await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    true,
    'it scrolls sideways',
  )
  await accessible(phone)
})
