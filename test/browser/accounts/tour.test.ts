import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'

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
