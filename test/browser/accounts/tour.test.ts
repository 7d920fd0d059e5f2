import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, browserTestWithoutAccounts } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'

browserTestWithoutAccounts(
  'offers a new account a tour that ends at the first-steps project',
  {},
  async (fixture) => {
    const page = await fixture.visitor()
    await page.goto('/sign-up')
    await page.getByLabel('Name', { exact: true }).fill('Ines')
    await page.getByLabel('Email').fill('ines@example.com')
    await page.getByLabel('Password', { exact: true }).fill('a whole sentence')
    await page.getByLabel('Workspace name').fill('Halden')
    await page.getByRole('button', { name: 'Create account' }).click()
    const tour = page.getByRole('region', { name: 'Tour' })
    await expect(tour.getByText('1 of 5')).toBeVisible()
    await assertAccessible(page)
    await page.setViewportSize({ width: 360, height: 740 })
    await assertAccessible(page, { themes: ['light'] })
    for (const step of [2, 3, 4, 5]) {
      await tour.getByRole('button', { name: 'Next' }).press('Enter')
      await expect(tour.getByText(`${step} of 5`)).toBeVisible()
    }
    await tour.getByRole('button', { name: 'Open the checklist' }).press('Enter')
    await expect(page.getByRole('heading', { level: 1, name: 'Getting started' })).toBeVisible()
    await expect(tour).toHaveCount(0)
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: 'Getting started' })).toBeVisible()
    await expect(tour).toHaveCount(0)
  },
)

browserTest(
  'the palette starts the tour, Enter goes on and Escape ends it',
  async ({ as, team }) => {
    const page = await as('guest')
    await page.goto(`/w/${team.workspace}/my`)
    await expect(page.getByRole('heading', { level: 1, name: 'My work' })).toBeVisible()
    const tour = page.getByRole('region', { name: 'Tour' })
    await expect(tour).toHaveCount(0)
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByPlaceholder('Search, or type a command').fill('take the tour')
    await expect(page.getByRole('option', { selected: true })).toContainText('Take the tour')
    await page.keyboard.press('Enter')
    await expect(tour.getByRole('button', { name: 'Next' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(tour.getByText('2 of 5')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(tour).toHaveCount(0)
  },
)
