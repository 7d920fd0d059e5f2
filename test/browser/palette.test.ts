import assert from 'node:assert/strict'
import { expect, type Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { seedTasks } from './support/seed.ts'

const TITLES = ['Write the chapter', 'Chapter of ENG-2', 'Chapters to cut']

browse('the palette finds, opens and does by the keyboard alone', async ({ as, team, ask }) => {
  const [first] = await seedTasks({ ask, team }, 12, (n) => ({
    title: TITLES[n] ?? `Case ${n + 1}`,
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My work')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Find or do' })
  await expect(field).toBeFocused()

  // The exact number stands first before the server has said anything, and stays.
  await field.fill('eng-2')
  await expect(chosen(page)).toContainText('ENG-2')
  await expect(chosen(page)).toContainText('Chapter of ENG-2')
  await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
  await accessible(page)

  // What is highlighted stays highlighted when the server adds lines above it.
  const held = Promise.withResolvers<void>()
  await page.route('**/api/v1/tasks?q=chapter&*', async (route) => {
    await held.promise
    await route.continue()
  })
  const asked = page.waitForRequest('**/api/v1/tasks?q=chapter&*')
  await field.fill('chapter')
  await page.keyboard.press('ArrowDown')
  await expect(chosen(page)).toContainText('Everything about “chapter”')
  await asked
  held.resolve()
  await expect(page.getByRole('option', { name: /Write the chapter/ })).toBeVisible()
  await expect(chosen(page)).toContainText('Everything about “chapter”')
  await page.unrouteAll()
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()

  await page.keyboard.press('Control+k')
  await field.fill(first?.short_id ?? '')
  await expect(chosen(page)).toContainText('Write the chapter')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/t/${first?.short_id}`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Write the chapter')

  await page.keyboard.press('Control+k')
  await expect(page.getByRole('group', { name: 'Recently opened' })).toContainText(TITLES[0] ?? '')
  await field.fill('dark theme')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')

  await page.keyboard.press('Control+k')
  await field.fill('chapter')
  await page.keyboard.press('Tab')
  await page.waitForURL('**/search?q=chapter')
  await expect(page.getByRole('listitem').filter({ hasText: 'hapter' })).toHaveCount(3)
})

browse('an answer to what was typed before never wins', async ({ as, team, ask }) => {
  await seedTasks({ ask, team }, 2, (n) => ({ title: n === 0 ? 'Alpha one' : 'Alphabet two' }))
  const page = await as('member')
  const held: (() => Promise<void>)[] = []
  await page.route('**/api/v1/tasks?q=alpha&*', async (route) => {
    held.push(() => route.continue())
  })
  await page.goto(`/w/${team.workspace}/my`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Find or do' })
  await field.fill('alpha')
  await expect.poll(() => held.length).toBe(1)
  await field.fill('alphabet')
  const two = page.getByRole('option', { name: /Alphabet two/ })
  await expect(two).toBeVisible()
  for (const go of held) await go().catch(() => undefined)
  // The late answer has no place to go: a frame later there is still what was typed last.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 100)))
  await expect(two).toBeVisible()
  await expect(page.getByRole('option', { name: /Alpha one/ })).toHaveCount(0)

  // Nor does one that came in time for another word.
  await field.fill('alph')
  await expect(page.getByRole('option', { name: /Alpha one/ })).toBeVisible()
  await field.fill('alphabet')
  assert.equal(await page.getByRole('option', { name: /Alpha one/ }).count(), 0)
})

const chosen = (page: Page) => page.getByRole('option', { selected: true })
