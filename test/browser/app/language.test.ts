import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { openScreen } from '../support/open-screen.ts'
import { seedTasks } from '../support/seed.ts'

const GERMAN = { locale: 'de-AT', timezoneId: 'Europe/Vienna' }

const languageOf = (page: Page) => page.evaluate(() => document.documentElement.lang)

browserTest(
  'choosing German in the profile translates texts, dates and numbers, and English back',
  async ({ as, ask, team }) => {
    const [task] = await seedTasks({ ask, team }, 1)
    await ask('owner', `PATCH /api/v1/tasks/${task?.id}`, { due_date: '2031-03-12' })
    const page = await as('owner', GERMAN)
    await page.goto(`/w/${team.workspace}/settings/profile`)
    await page.getByLabel('Language and date format').selectOption('de')
    const you = page.getByRole('form', { name: 'Account' })
    await you.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Profil', exact: true }).waitFor()
    assert.equal(await languageOf(page), 'de')
    await expect(page.getByLabel('Sprache, Format')).toHaveValue('de')
    await expect(page.getByText(/Beispiel: .*1.204,5/)).toBeVisible()

    await openScreen(page, `/w/${team.workspace}/p/ENG`)
    await expect(page.getByRole('treegrid', { name: 'Aufgaben in Engineering' })).toBeVisible()
    await expect(page.getByText('12. März 2031')).toBeVisible()
    await page.keyboard.press('n')
    await page.getByRole('combobox', { name: 'Neue Aufgabe' }).fill('Brot !hoch fällig 24. Dez. ')
    await expect(page.getByRole('button', { name: /^Priorität Hoch entfernen/ })).toBeVisible()
    await expect(page.getByRole('button', { name: /^fällig .*24\. Dez.* entfernen/ })).toBeVisible()
    await page.keyboard.press('Escape')
    await page.locator('.switch').click()
    await expect(page.getByRole('menuitemcheckbox', { name: /Inhaber/ })).toBeVisible()
    await page.keyboard.press('Escape')

    await openScreen(page, `/w/${team.workspace}/settings/profile`)
    await page.getByLabel('Sprache, Format').selectOption('en')
    await page
      .getByRole('form', { name: 'Konto' })
      .getByRole('button', { name: 'Speichern' })
      .click()
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    assert.equal(await languageOf(page), 'en')
  },
)

/** Replaces the nodes of all texts, as browsers do when they translate a page. */
const translate = (page: Page) =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) if (walker.currentNode instanceof Text) texts.push(walker.currentNode)
    for (const text of texts) {
      const translation = document.createElement('font')
      translation.textContent = text.data
      text.replaceWith(translation)
    }
  })

browserTest(
  'shows words that change after the browser has translated the page',
  async (fixture) => {
    const { as, team } = fixture
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'Errand', priority: 'high' }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
    await page.getByRole('button', { name: 'Priority: High. Change' }).waitFor()
    await translate(page)
    await page.keyboard.press('p')
    await page.getByRole('option', { name: 'Urgent' }).click()
    await expect(page.getByRole('button', { name: 'Priority: Urgent. Change' })).toHaveText(
      'Urgent',
    )
    await page.keyboard.press('s')
    await page.getByRole('option', { name: 'In review' }).click()
    await expect(page.getByRole('button', { name: 'Status: In review. Change' })).toHaveText(
      'In review',
    )
  },
)
