import { expect, type Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { seedTasks } from './support/seed.ts'

const item = (page: Page, name: string | RegExp) =>
  page.locator('[role^="menuitem"]').filter({ hasText: name })
const views = (page: Page) => page.getByRole('button', { name: /^Saved views/ })

browse('a view is saved, comes back, is updated, reset, shared and pinned', async (scene) => {
  const { as, team } = scene
  await seedTasks(scene, 6, (n) => ({
    ...{ title: `Task ${n + 1}`, status: n < 4 ? 'todo' : 'done' },
    ...(n < 2 && { priority: 'high' }),
  }))
  const page = await as('member')
  const rows = page.locator('[data-number]')
  await page.goto(`/w/${team.workspace}/p/ENG?f=status%3Aopen&group=priority`)
  await expect(rows).toHaveCount(4)

  await page.keyboard.press('Shift+V')
  const dialog = page.getByRole('dialog', { name: 'Save this view' })
  await dialog.getByLabel('Name').fill('Open by priority')
  await accessible(page)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/saved=viw_/)
  await expect(views(page)).toHaveText('Open by priority')
  const address = page.url()

  // Another filter is no change of the view, until it is updated.
  await page.goto(`${address.replace('status%3Aopen', 'priority%3Ahigh')}`)
  await expect(rows).toHaveCount(2)
  await page.getByRole('button', { name: 'Reset to “Open by priority”' }).click()
  await expect(rows).toHaveCount(4)
  await expect(page.getByRole('button', { name: 'Update' })).toHaveCount(0)
  await page.keyboard.press('2')
  await page.getByRole('button', { name: /^Update “Open by priority”/ }).click()
  await expect(page.getByText('Updated “Open by priority”').first()).toBeVisible()
  await page.reload()
  await expect(page.locator('.board')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Update/ })).toHaveCount(0)

  await views(page).click()
  await item(page, 'Share with the project').click()
  await views(page).click()
  await item(page, 'Pin to the side bar').click()
  const pinned = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /priority/ })
  await expect(pinned).toBeVisible()

  // Somebody else sees it, may not change it, and a pasted link shows the same.
  const other = await as('admin')
  await other.goto(`/w/${team.workspace}/p/ENG`)
  await views(other).click()
  await item(other, 'Open by priority').click()
  await expect(other.locator('.board')).toBeVisible()
  await expect(other.locator('.card[data-number]')).toHaveCount(4)
  expect(new URL(other.url()).search).toBe(new URL(page.url()).search)

  // What is deleted is taken back from its toast.
  await views(page).click()
  await item(page, 'Delete').click()
  await page.getByRole('button', { name: /^Undo/ }).last().click()
  await page.goto(`/w/${team.workspace}/my`)
  await expect(page.getByRole('heading', { name: 'My work' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('open by prio')
  await page.getByRole('option', { name: /Open by priority/ }).click()
  await expect(page.locator('.card[data-number]')).toHaveCount(4)
})

browse('a guest keeps views of their own, and says why none is shared', async (scene) => {
  const { as, team } = scene
  await seedTasks(scene, 1)
  const owner = await as('owner')
  await owner.goto(`/w/${team.workspace}/p/ENG?f=status%3Aopen`)
  await views(owner).click()
  await item(owner, 'Save as view').click()
  await owner.getByLabel('Name').fill('Ours')
  await owner.getByLabel(/Share with the project/).check()
  await owner.keyboard.press('Enter')
  await expect(views(owner)).toHaveText('Ours')
  const page = await as('guest')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await views(page).click()
  await item(page, 'Ours').click()
  await page.keyboard.press('2')
  const update = page.getByRole('button', { name: /^Update “Ours”/ })
  await expect(update).toHaveAttribute('aria-disabled', 'true')
  await expect(update).toHaveAttribute('aria-describedby', /.+/)
  await page.keyboard.press('Shift+V')
  await expect(page.getByLabel(/Share with the project/)).toBeDisabled()
  await expect(page.getByText('Guests cannot share views.')).toBeVisible()
})
