import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

const titleOf = (page: Page, title: string) =>
  page.getByRole('listitem').locator('a.title').filter({ hasText: title })

browserTest(
  'the keys of My work go on from a row that others have removed or moved to another section',
  async (fixture) => {
    const { as, ask, team } = fixture
    const tasks = await seedTasks(fixture, 5, (n, { people }) => ({
      title: `Errand ${n + 1}`,
      assignee_ids: [people.member.id],
      due_date: dateFromToday(n < 3 ? n - 5 : 3),
    }))
    const change = (n: number, patch: object) =>
      ask('owner', `PATCH /api/v1/tasks/${tasks[n - 1]?.id}`, patch)
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/my`)
    await titleOf(page, 'Errand 2').focus()
    await change(2, { assignee_ids: [] })
    await expect(titleOf(page, 'Errand 2')).toHaveCount(0)
    await page.keyboard.press('j')
    await expect(titleOf(page, 'Errand 3')).toBeFocused()
    await page.keyboard.press('j')
    await expect(titleOf(page, 'Errand 4')).toBeFocused()

    await change(4, { due_date: dateFromToday(60) })
    await expect(page.getByRole('region', { name: 'Later' })).toContainText('Errand 4')
    await expect(titleOf(page, 'Errand 4')).toBeFocused()
    await change(4, { assignee_ids: [] })
    await expect(titleOf(page, 'Errand 4')).toHaveCount(0)
    // Where the row was when the person came to it.
    await page.keyboard.press('ArrowUp')
    await expect(titleOf(page, 'Errand 3')).toBeFocused()

    // Another element keeps the focus that it has taken since.
    const tab = page.getByRole('link', { name: 'Created by me' })
    await tab.focus()
    await change(5, { due_date: dateFromToday(-1) })
    await expect(page.getByRole('region', { name: 'Overdue' })).toContainText('Errand 5')
    await expect(tab).toBeFocused()
  },
)

browserTest('the keys of the inbox go on from a row that others have removed', async (fixture) => {
  const { as, ask, team } = fixture
  const tasks = await seedTasks(fixture, 4, (n, { people }) => ({
    title: `Errand ${n + 1}`,
    assignee_ids: [people.member.id],
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/inbox`)
  // The newest is the first.
  await titleOf(page, 'Errand 3').focus()
  await ask('owner', `DELETE /api/v1/tasks/${tasks[2]?.id}`)
  await expect(titleOf(page, 'Errand 3')).toHaveCount(0)
  await page.keyboard.press('j')
  await expect(titleOf(page, 'Errand 2')).toBeFocused()
  await ask('owner', `DELETE /api/v1/tasks/${tasks[1]?.id}`)
  await expect(titleOf(page, 'Errand 2')).toHaveCount(0)
  await page.keyboard.press('k')
  await expect(titleOf(page, 'Errand 4')).toBeFocused()
})
