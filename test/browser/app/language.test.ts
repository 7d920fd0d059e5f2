import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browserTest, expect } from '../support/browser-test.ts'
import { openScreen } from '../support/page-actions.ts'
import { seedTasks } from '../support/seed.ts'

const GERMAN = { locale: 'de-AT', timezoneId: 'Europe/Vienna' }

const languageOf = (page: Page) => page.evaluate(() => document.documentElement.lang)

browserTest('German in the profile translates texts, dates and numbers', async (fixture) => {
  const { openAs, ask, team } = fixture
  const [task] = await seedTasks({ ask, team }, 1)
  await ask('owner', `PATCH /api/v1/tasks/${task?.id}`, { due_date: '2031-03-12' })
  const page = await openAs('owner', 'settings/profile', GERMAN)
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
  await page.getByRole('form', { name: 'Konto' }).getByRole('button', { name: 'Speichern' }).click()
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
  assert.equal(await languageOf(page), 'en')
})
