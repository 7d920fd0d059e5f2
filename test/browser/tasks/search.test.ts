import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { press } from '../support/page-actions.ts'
import { seedTasks } from '../support/seed.ts'

const rows = (page: Page) => page.locator('[data-task]')
const row = (page: Page, title: string) => rows(page).filter({ hasText: title })

/** Adds a condition to the filter. */
async function addFilter(page: Page, typed: string): Promise<void> {
  await page.keyboard.press('/')
  await page.getByRole('combobox').fill(typed)
  await page.keyboard.press('Enter')
}

browserTest('finds titles, descriptions and comments', async (fixture) => {
  const { openAs, team, ask } = fixture
  const [kettle, , tea] = await seedTasks(fixture, 3, (n) => ({
    title: ['Mend the kettle', 'Order cups', 'Tea party'][n],
    status: ['todo', 'todo', 'done'][n],
    ...(n === 1 && {
      description: 'Some that can be stacked, for the **kettle** corner <b>soon</b>',
    }),
    ...(n === 0 && { assignee_ids: [team.people.member.id] }),
  }))
  // More than a page of comments, so that the found one has to be loaded first.
  for (let at = 0; at < 55; at += 1) {
    const body = at === 0 ? `Who has the kettle, <@${team.people.owner.id}>?` : `Remark ${at}`
    await ask('owner', `POST /api/v1/tasks/${tea?.id}/comments`, { body })
  }
  const page = await openAs('member', 'all')
  await expect(rows(page)).toHaveCount(2)
  await addFilter(page, 'kett')
  await expect(page).toHaveURL(/\?f=kett$/)
  // A finished task is found as well.
  await expect(rows(page)).toHaveCount(3)
  await expect(row(page, 'Mend the kettle').locator('mark')).toHaveText('kettle')
  // The row begins a few words before the match, which would be cut off otherwise.
  await expect(row(page, 'Order cups')).toContainText('Description …for the **kettle** corner <b>')
  const commentResult = row(page, 'Tea party')
  await expect(commentResult).toContainText(
    `Comment Who has the kettle, @${team.people.owner.name}?`,
  )
  await expect(commentResult.locator('mark')).toHaveText('kettle')
  await assertAccessible(page)

  // Other conditions narrow the search, and the history restores it.
  await addFilter(page, 'assignee:me')
  await expect(rows(page)).toHaveCount(1)
  await expect(row(page, 'Mend the kettle')).toBeVisible()
  await page.reload()
  await expect(row(page, 'Mend the kettle')).toBeVisible()
  await expect(rows(page)).toHaveCount(1)
  await page.goBack()
  await expect(rows(page)).toHaveCount(3)

  // The keyboard leads to the comment itself.
  await row(page, 'Mend the kettle').focus()
  await press(page, 'j', 'j')
  await expect(commentResult).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/task=ENG-3#cmt_/)
  await expect(page.locator('article[data-aim]')).toContainText('Who has the kettle')
  await expect(page.locator('article[data-aim]')).toBeInViewport()
  await assertAccessible(page, { within: '.panel' })
  await page.goBack()
  await expect(page.locator('.panel')).toBeHidden()

  // New comments of others are found at once, and deleted ones disappear.
  await ask('owner', `POST /api/v1/tasks/${kettle?.id}/comments`, { body: 'Descale it' })
  await page.goto(`/w/${team.workspace}/all?f=descale`)
  await expect(row(page, 'Mend the kettle')).toContainText('Comment Descale it')
  const other = await ask<{ id: string }>('owner', `POST /api/v1/tasks/${tea?.id}/comments`, {
    body: 'We descaled ours',
  })
  await expect(row(page, 'Tea party')).toContainText('We descaled ours')
  await ask('owner', `DELETE /api/v1/comments/${other.id}`)
  await expect(row(page, 'Tea party')).toBeHidden()
})
