import { accessible } from './support/axe.ts'
import { browse, browseEmpty } from './support/browse.ts'
import { expect } from './support/expect.ts'

browseEmpty(
  'offers a new account a tour that ends at the first-steps project',
  {},
  async (scene) => {
    const page = await scene.visitor()
    await page.goto('/sign-up')
    await page.getByLabel('Name', { exact: true }).fill('Ines')
    await page.getByLabel('Email').fill('ines@example.com')
    await page.getByLabel('Password', { exact: true }).fill('a whole sentence')
    await page.getByLabel('Workspace').fill('Halden')
    await page.getByRole('button', { name: 'Create account' }).click()
    const tour = page.getByRole('region', { name: 'Tour' })
    await expect(tour.getByText('1 of 5')).toBeVisible()
    await accessible(page)
    await page.setViewportSize({ width: 360, height: 740 })
    await accessible(page)
    for (const step of [2, 3, 4, 5]) {
      await tour.getByRole('button', { name: 'Next' }).press('Enter')
      await expect(tour.getByText(`${step} of 5`)).toBeVisible()
    }
    await tour.getByRole('button', { name: 'To the first steps' }).press('Enter')
    await expect(page.getByRole('heading', { level: 1, name: 'First steps' })).toBeVisible()
    await expect(tour).toHaveCount(0)
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: 'First steps' })).toBeVisible()
    await expect(tour).toHaveCount(0)
  },
)

browse('the palette starts the tour, Enter goes on and Escape ends it', async ({ as, team }) => {
  const page = await as('guest')
  await page.goto(`/w/${team.workspace}/my`)
  await expect(page.getByRole('heading', { level: 1, name: 'My work' })).toBeVisible()
  const tour = page.getByRole('region', { name: 'Tour' })
  await expect(tour).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('A number, words, or what to do').fill('take the tour')
  await expect(page.getByRole('option', { selected: true })).toContainText('Take the tour')
  await page.keyboard.press('Enter')
  await expect(tour.getByRole('button', { name: 'Next' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(tour.getByText('2 of 5')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(tour).toHaveCount(0)
})
