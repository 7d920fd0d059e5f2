import type { Page } from '@playwright/test'
import { preparePassword, setPassword } from '#auth/users/accounts.ts'
import { deriveSetupToken } from '#auth/workspaces/first-owner.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { findFreePort } from '../../support/system/free-port.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTestWithoutAccounts, expect } from '../support/browser-test.ts'
import { signInByForm } from '../support/seed.ts'

const port = await findFreePort()
const INITIAL_PASSWORD = 'printed on first start'
const userOf = unscopedQuery((db, $: { email: string }) =>
  db.selectFrom('users').select('id').where('email', '=', $.email),
)

browserTestWithoutAccounts(
  'the first start replaces the printed credentials and can remove the demo workspace',
  { env: { DOCKET_DEMO: '1' } },
  async ({ visitor, docket, allow }) => {
    allow(422)
    const email = 'maya@demo.example'
    const { hash } = await preparePassword(INITIAL_PASSWORD)
    await docket.storage.write(ANONYMOUS_ACTOR, async (tx) => {
      const user = await tx.one(userOf, { email })
      await setPassword(tx, user?.id ?? '', hash)
    })
    const page = await visitor({ timezoneId: 'Europe/Zurich' })
    await page.goto('/sign-in')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(INITIAL_PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/setup')
    await expect(page.getByLabel('Time zone')).toHaveValue('Europe/Zurich')
    await page.getByLabel('Name', { exact: true }).fill('Ines Okafor')
    await page.getByLabel('Email').fill('ines@halden.example')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByLabel('Delete it and start empty').check()
    await page.getByLabel('Workspace name').fill('Halden Works')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Ines Okafor')
    const password = 'correct horse battery staple'
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await page.waitForURL('**/w/*/p/*')
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Getting started')
    await page.goto('/setup')
    await expect(page.getByText('This account is already set up')).toBeVisible()
    const other = await visitor()
    const person = { id: '', role: 'owner' as const, name: '', key: '' }
    await signInByForm(other, { ...person, email: 'ines@halden.example', password })
    await expect(other.getByText('Halden Works').first()).toBeVisible()
  },
)

browserTestWithoutAccounts(
  'the first owner of an installation that others can reach enters the setup token, in German',
  { env: { DOCKET_HOST: '0.0.0.0', DOCKET_BASE_URL: `http://127.0.0.1:${port}` }, port },
  async ({ visitor, allow }) => {
    allow(422)
    const page = await visitor({ locale: 'de-AT', timezoneId: 'Europe/Vienna' })
    await page.goto('/sign-up')
    await page.getByLabel('Name', { exact: true }).fill('Ines Okafor')
    await page.getByLabel('E-Mail').fill('ines@halden.example')
    await page.getByLabel('Passwort', { exact: true }).fill('ein ganzer Satz')
    await page.getByLabel('Workspace').fill('Halden')
    const token = page.getByLabel('Einrichtungscode')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Konto erstellen' }).click()
    await expect(token).toBeFocused()
    await expect(page.getByText('docket setup-token gibt ihn erneut aus').first()).toBeVisible()
    await token.fill(deriveSetupToken(TEST_SECRET))
    await page.getByRole('button', { name: 'Konto erstellen' }).click()
    // The account keeps the language in which it was created.
    await page.getByRole('heading', { level: 1, name: 'Erste Schritte' }).waitFor()
    const boot = await page.request.get('/internal/boot')
    expect((await boot.json()).session.user.locale).toBe('de')
  },
)

browserTestWithoutAccounts(
  'the first sign-up creates the owner, whom a tour welcomes, and later ones need an invitation',
  {},
  async ({ visitor, allow }) => {
    allow(422)
    const page = await visitor()
    await page.goto('/sign-in')
    await page.waitForURL('**/sign-up')
    await page.getByLabel('Name', { exact: true }).fill('Ines Okafor')
    await page.getByLabel('Email').fill('not an address')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
    await page.getByLabel('Workspace name').fill('Halden')
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page.getByLabel('Email')).toBeFocused()
    await page.getByLabel('Email').fill('ines@halden.example')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/w/*/p/*')
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Getting started')
    await expect(page.getByText('Complete this task')).toBeVisible()
    await expectTour(page)
    const laterVisitor = await visitor()
    await laterVisitor.goto('/sign-up')
    await expect(laterVisitor.getByText('Sign-up is by invitation only')).toBeVisible()
  },
)

/** A tour of five steps, on any screen, that ends at the project of the first steps, for a first task. */
async function expectTour(page: Page): Promise<void> {
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
  const heading = page.getByRole('heading', { level: 1, name: 'Getting started' })
  await expect(heading).toBeVisible()
  await expect(tour).toHaveCount(0)
  await page.reload()
  await expect(heading).toBeVisible()
  await expect(tour).toHaveCount(0)

  await page.setViewportSize({ width: 1280, height: 720 })
  await page.keyboard.press('n')
  await page.getByRole('combobox', { name: /new task/i }).fill('Our first task')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('row', { name: /Our first task/ })).toBeVisible()
  await page.keyboard.press('Escape')

  await expect(tour).toHaveCount(0)
}
