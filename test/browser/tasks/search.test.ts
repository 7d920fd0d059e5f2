import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { seedTasks } from '../support/seed.ts'

const row = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title })

browserTest('finds titles, descriptions and comments', async (fixture) => {
  const { openAs, team, ask } = fixture
  const [kettle, , tea] = await seedTasks(fixture, 3, (n) => ({
    title: ['Mend the kettle', 'Order cups', 'Tea party'][n],
    ...(n === 1 && { description: 'For the **kettle** corner <b>soon</b>' }),
    ...(n === 0 && { assignee_ids: [team.people.member.id] }),
  }))
  // More than a page of comments, so that the found one has to be loaded first.
  for (let at = 0; at < 55; at += 1) {
    const body = at === 0 ? `Who has the kettle, <@${team.people.owner.id}>?` : `Remark ${at}`
    await ask('owner', `POST /api/v1/tasks/${tea?.id}/comments`, { body })
  }
  const page = await openAs('member', 'search')
  await expect(page.getByText(/Search titles, descriptions and comments/)).toBeVisible()
  const field = page.getByRole('searchbox')
  await field.fill('kett')
  await expect(page.getByRole('listitem')).toHaveCount(3)
  await expect(page.getByRole('listitem').nth(0).locator('mark')).toHaveText('kettle')
  await expect(row(page, 'Order cups')).toContainText('Description For the **kettle** corner <b>')
  const commentResult = row(page, 'Tea party')
  await expect(commentResult).toContainText(
    `Comment Who has the kettle, @${team.people.owner.name}?`,
  )
  await expect(commentResult.locator('mark')).toHaveText('kettle')
  await expect(page).toHaveURL(/\?q=kett$/)

  // Filters narrow the search, and the history restores it.
  await page.getByRole('button', { name: 'Found in' }).click()
  await page.getByRole('option', { name: 'comments' }).click()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/in=comments/)
  await expect(page.getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: 'Assignee' }).click()
  await page.getByRole('option', { name: team.people.member.name }).click()
  await expect(page.getByText('No results for “kett” with these filters.')).toBeVisible()
  await page.reload()
  await expect(page.getByText('No results for “kett” with these filters.')).toBeVisible()
  await page.getByRole('button', { name: /Remove filter: Found in/ }).click()
  await expect(page.getByRole('listitem')).toHaveCount(1)
  await expect(row(page, 'Mend the kettle')).toBeVisible()
  await page.goBack()
  await page.goBack()
  await expect(page.getByRole('listitem')).toHaveCount(1)
  await expect(commentResult).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('listitem')).toHaveCount(3)
  await expect(field).toHaveValue('kett')

  await field.press('Enter')
  await expect(page.locator('a.title').first()).toBeFocused()

  // The keyboard leads to the comment itself.
  await field.focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('link', { name: 'Mend the kettle' })).toBeFocused()
  for (const [key, title] of [
    ['j', 'Order cups'],
    ['j', 'Tea party'],
    ['k', 'Order cups'],
    ['j', 'Tea party'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(page.getByRole('link', { name: title })).toBeFocused()
  }
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/task=ENG-3#cmt_/)
  await expect(page.locator('article[data-aim]')).toContainText('Who has the kettle')
  await expect(page.locator('article[data-aim]')).toBeInViewport()
  await assertAccessible(page, { within: '.panel' })
  await page.goBack()
  await expect(page.locator('.panel')).toBeHidden()
  await page.getByRole('link', { name: 'Tea party' }).focus()
  await page.keyboard.press('Escape')
  await expect(field).toBeFocused()

  // New comments of others are found at once, and deleted ones disappear.
  await ask('owner', `POST /api/v1/tasks/${kettle?.id}/comments`, { body: 'Descale it' })
  await field.fill('descale')
  await expect(row(page, 'Mend the kettle')).toContainText('Comment Descale it')
  const other = await ask<{ id: string }>('owner', `POST /api/v1/tasks/${tea?.id}/comments`, {
    body: 'We descaled ours',
  })
  await expect(row(page, 'Tea party')).toContainText('We descaled ours')
  await ask('owner', `DELETE /api/v1/comments/${other.id}`)
  await expect(row(page, 'Tea party')).toBeHidden()
})
