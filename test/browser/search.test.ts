import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

const row = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title })

browse('a search finds titles, texts and comments, and its address is all of it', async (scene) => {
  const { as, team, ask } = scene
  const [kettle, , tea] = await seedTasks(scene, 3, (n) => ({
    title: ['Mend the kettle', 'Order cups', 'Tea party'][n],
    ...(n === 1 && { description: 'For the **kettle** corner <b>soon</b>' }),
    ...(n === 0 && { assignee_ids: [team.people.member.id] }),
  }))
  // More than a page of the thread, so that the one found has to be read first.
  for (let at = 0; at < 55; at += 1) {
    const body = at === 0 ? `Who has the kettle, <@${team.people.owner.id}>?` : `Remark ${at}`
    await ask('owner', `POST /api/v1/tasks/${tea?.id}/comments`, { body })
  }
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/search`)
  await expect(page.getByText(/Every word that you type/)).toBeVisible()
  const field = page.getByRole('searchbox')
  await field.fill('kett')
  await expect(page.getByRole('listitem')).toHaveCount(3)
  await expect(page.getByRole('listitem').nth(0).locator('mark')).toHaveText('kettle')
  await expect(row(page, 'Order cups')).toContainText('Description For the **kettle** corner <b>')
  const said = row(page, 'Tea party')
  await expect(said).toContainText(`Comment Who has the kettle, @${team.people.owner.name}?`)
  await expect(said.locator('mark')).toHaveText('kettle')
  await expect(page).toHaveURL(/\?q=kett$/)
  await accessible(page)

  // Narrowed by chips, and back.
  await page.getByRole('button', { name: 'Where' }).click()
  await page.getByRole('option', { name: 'comments' }).click()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/in=comments/)
  await expect(page.getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: 'Assignee' }).click()
  await page.getByRole('option', { name: team.people.member.name }).click()
  await expect(page.getByText('Nothing here has all of “kett”.')).toBeVisible()
  await page.reload()
  await expect(page.getByText('Nothing here has all of “kett”.')).toBeVisible()
  await page.getByRole('button', { name: /Remove the filter Where/ }).click()
  await expect(page.getByRole('listitem')).toHaveCount(1)
  await expect(row(page, 'Mend the kettle')).toBeVisible()
  await page.goBack()
  await page.goBack()
  await expect(page.getByRole('listitem')).toHaveCount(1)
  await expect(said).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('listitem')).toHaveCount(3)
  await expect(field).toHaveValue('kett')

  // By the keyboard, to the comment itself.
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
  await accessible(page)
  await page.goBack()
  await expect(page.locator('.panel')).toBeHidden()
  await page.getByRole('link', { name: 'Tea party' }).focus()
  await page.keyboard.press('Escape')
  await expect(field).toBeFocused()

  // What others write is found at once, and what is gone is gone.
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

browse('a long search is shown a part at a time, also on a phone', async (scene) => {
  const { as, team, allow } = scene
  await seedTasks(scene, 130, (n) => ({
    title: `Errand ${n + 1}`,
    description: 'a rather long description of an errand that has to be run soon by somebody',
  }))
  const page = await as('guest', { viewport: { width: 360, height: 740 } })
  await page.goto(`/w/${team.workspace}/search?q=long`)
  await expect(page.getByRole('listitem').filter({ hasText: 'Errand' })).toHaveCount(100)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Errand' })).toHaveCount(130)
  await expect(page.getByRole('button', { name: 'Show more' })).toBeHidden()
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(wide).toBeLessThanOrEqual(360)
  await accessible(page)

  allow(403)
  const error = { type: 'forbidden', code: 'insufficient_role', message: 'Not today.', details: [] }
  await page.route('**/internal/search?*', (route) =>
    route.fulfill({ status: 403, json: { error: { ...error, request_id: 'req_1', doc_url: '' } } }),
  )
  await page.getByRole('searchbox').fill('longe')
  await expect(page.getByText('Not today.')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: /again/i }).click()
  await expect(page.getByText('Nothing has all of “longe”.')).toBeVisible()
})
