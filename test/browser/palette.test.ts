import type { Locator, Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

const TITLES = ['Write the chapter', 'Chapter of ENG-2', 'Chapters to cut']

/** The palette, opened by its key over My work. */
async function openPalette({ as, team }: Scene): Promise<{ page: Page; field: Locator }> {
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My work')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Find or do' })
  await expect(field).toBeFocused()
  return { page, field }
}

const chosen = (page: Page) => page.getByRole('option', { selected: true })

browse('the palette selects the exact task number first', async (scene) => {
  await seedTasks(scene, 3, (n) => ({ title: TITLES[n] }))
  const { page, field } = await openPalette(scene)
  await field.fill('eng-2')
  // It stands there before the server has said anything, and stays.
  await expect(chosen(page)).toContainText('ENG-2')
  await expect(chosen(page)).toContainText('Chapter of ENG-2')
  await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
  await accessible(page)
})

browse('the palette keeps its selection when search results arrive', async (scene) => {
  await seedTasks(scene, 3, (n) => ({ title: TITLES[n] }))
  const { page, field } = await openPalette(scene)
  const release = Promise.withResolvers<void>()
  await page.route('**/api/v1/tasks?q=chapter&*', async (route) => {
    await release.promise
    await route.continue()
  })
  const requested = page.waitForRequest('**/api/v1/tasks?q=chapter&*')
  await field.fill('chapter')
  await page.keyboard.press('ArrowDown')
  await expect(chosen(page)).toContainText('Everything about “chapter”')
  await requested
  release.resolve()
  await expect(page.getByRole('option', { name: /Write the chapter/ })).toBeVisible()
  await expect(chosen(page)).toContainText('Everything about “chapter”')
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()
})

browse('the palette opens a task, runs a command and searches by keyboard', async (scene) => {
  const [first] = await seedTasks(scene, 12, (n) => ({ title: TITLES[n] ?? `Case ${n + 1}` }))
  const { page, field } = await openPalette(scene)
  await field.fill(first?.short_id ?? '')
  await expect(chosen(page)).toContainText('Write the chapter')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/t/${first?.short_id}`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Write the chapter')

  await page.keyboard.press('Control+k')
  await expect(page.getByRole('group', { name: 'Recently opened' })).toContainText(TITLES[0] ?? '')
  await field.fill('dark theme')
  await expect(chosen(page)).toContainText(/dark theme/i)
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')

  await page.keyboard.press('Control+k')
  await field.fill('chapter')
  await page.keyboard.press('Tab')
  await page.waitForURL('**/search?q=chapter')
  await expect(page.getByRole('listitem').filter({ hasText: 'hapter' })).toHaveCount(3)
})

browse('the palette cancels a stale search, and shows no result of it', async (scene) => {
  await seedTasks(scene, 2, (n) => ({ title: n === 0 ? 'Alpha one' : 'Alphabet two' }))
  const { page, field } = await openPalette(scene)
  const one = page.getByRole('option', { name: /Alpha one/ })
  const two = page.getByRole('option', { name: /Alphabet two/ })
  // Its answer never comes by itself: the page has to give the request up.
  await page.route('**/api/v1/tasks?q=alpha&*', () => undefined)
  const requested = page.waitForRequest('**/api/v1/tasks?q=alpha&*')
  const canceled = page.waitForEvent('requestfailed')
  await field.fill('alpha')
  const stale = await requested
  await field.fill('alphabet')
  await expect(two).toBeVisible()
  expect(await canceled).toBe(stale)
  await expect(one).toHaveCount(0)

  // What was found for other words goes at once, not only when there is something newer.
  await field.fill('alph')
  await expect(one).toBeVisible()
  await page.route('**/api/v1/tasks?q=alphabets&*', () => undefined)
  await field.fill('alphabets')
  await expect(one).toHaveCount(0)
})
