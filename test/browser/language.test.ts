import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browse, browseEmpty } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks, signIn } from './support/seed.ts'

const GERMAN = { locale: 'de-AT', timezoneId: 'Europe/Vienna' }

const languageOf = (page: Page) => page.evaluate(() => document.documentElement.lang)

browse(
  'who chooses German in the profile reads German, dates and numbers too, and English again',
  async ({ as, ask, team }) => {
    const [task] = await seedTasks({ ask, team }, 1)
    await ask('owner', `PATCH /api/v1/tasks/${task?.id}`, { due_date: '2031-03-12' })
    const page = await as('owner', GERMAN)
    await page.goto(`/w/${team.workspace}/settings/profile`)
    await page.getByLabel('Language and dates').selectOption('de')
    const you = page.getByRole('form', { name: 'You' })
    await you.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Profil', exact: true }).waitFor()
    assert.equal(await languageOf(page), 'de')
    await expect(page.getByLabel('Sprache und Daten')).toHaveValue('de')
    await expect(page.getByText(/Geschrieben wie .*1\.204,5/)).toBeVisible()

    await page.goto(`/w/${team.workspace}/p/ENG`)
    await expect(page.getByRole('grid', { name: 'Aufgaben von Engineering' })).toBeVisible()
    await expect(page.getByText('12. März 2031')).toBeVisible()
    await page.keyboard.press('c')
    await page.getByRole('textbox', { name: 'Neue Aufgabe' }).fill('Brot !hoch fällig 24. Dez. ')
    await expect(page.getByRole('button', { name: /^Priorität Hoch entfernen/ })).toBeVisible()
    await expect(page.getByRole('button', { name: /^fällig .*24\. Dez.* entfernen/ })).toBeVisible()

    await page.goto(`/w/${team.workspace}/settings/profile`)
    await page.getByLabel('Sprache und Daten').selectOption('en')
    await page.getByRole('form', { name: 'Sie' }).getByRole('button', { name: 'Speichern' }).click()
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    assert.equal(await languageOf(page), 'en')
  },
)

browse(
  'the browser speaks until somebody has signed in, then the profile does',
  async ({ visitor, team, docket }) => {
    const page = await visitor(GERMAN)
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Anmelden' }).waitFor()
    assert.equal(await languageOf(page), 'de')
    await page.getByLabel('E-Mail').fill(team.people.member.email)
    await page.getByLabel('Passwort', { exact: true }).fill(team.people.member.password)
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
    assert.equal(await languageOf(page), 'en')
    const french = await visitor({ locale: 'fr-FR' })
    await french.goto(`${docket.url}/sign-in`)
    await french.getByRole('button', { name: 'Sign in' }).waitFor()
    await signIn(french, team.people.owner)
  },
)

browse('English loads no dictionary, and German one', async ({ visitor }) => {
  for (const [locale, loaded] of [
    ['en-GB', 0],
    ['de-DE', 1],
  ] as const) {
    const page = await visitor({ locale })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto('/sign-in')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const dictionaries = asked.filter((path) => /\/assets\/de-[^/]+\.js$/.test(path))
    assert.equal(dictionaries.length, loaded, locale)
  }
})

browseEmpty('an account that is made in German reads German', {}, async ({ visitor, docket }) => {
  const page = await visitor(GERMAN)
  await page.goto('/sign-up')
  await page.getByLabel('Name', { exact: true }).fill('Ines')
  await page.getByLabel('E-Mail').fill('ines@example.com')
  await page.getByLabel('Passwort', { exact: true }).fill('ein ganzer Satz')
  await page.getByLabel('Workspace').fill('Halden')
  await page.getByRole('button', { name: 'Konto anlegen' }).click()
  await page.getByRole('heading', { level: 1, name: 'Meine Arbeit' }).waitFor()
  const reply = await page.request.get(`${docket.url}/internal/boot`)
  assert.equal((await reply.json()).session.user.locale, 'de')
})
