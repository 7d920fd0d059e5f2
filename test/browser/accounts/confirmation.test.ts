import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand } from '#db/core/statement.ts'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { createThirdPartyApp } from '../support/oauth/third-party-app.ts'
import { openScreen } from '../support/open-screen.ts'
import { ageSessions } from '../support/team.ts'

const passwordField = (page: Page) => page.getByLabel('Password', { exact: true })

const confirmDialog = (page: Page) => page.getByRole('dialog', { name: 'Confirm it is you' })

/** Enters a wrong password, and then the right one. */
async function confirmWithPassword(page: Page, password: string): Promise<void> {
  const dialog = confirmDialog(page)
  await expect(passwordField(page)).toBeFocused()
  await passwordField(page).fill('not the password')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText(/is not your current password/)).toBeVisible()
  await passwordField(page).fill(password)
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
}

browserTest('consent asks for the password after an older sign-in', async (fixture) => {
  const { as, team, docket, allow } = fixture
  allow(401, 403, 422)
  const app = await createThirdPartyApp(fixture)
  const page = await as('member')
  const { id, password } = team.people.member
  await ageSessions(docket, team.people.member)
  await page.goto(app.authorizeUrl())
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(passwordField(page)).toBeFocused()
  await assertAccessible(page)
  await confirmWithPassword(page, password)
  await expect(page.getByText('Back in the app')).toBeVisible()
  const { user } = await app.me(app.callbacks[0]?.searchParams.get('code'))
  assert.equal(user.id, id)

  // Without a password, a new sign-in confirms who allows it.
  await ageSessions(docket, team.people.member)
  await docket.storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(removePassword, { id }))
  await page.goto(app.authorizeUrl())
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByText(/You signed in too long ago/)).toBeVisible()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByText(/Sign in again to continue/)).toBeVisible()

  await page.goto(`/w/${team.workspace}/settings/profile`)
  await expect(page.getByRole('region', { name: 'Two-factor authentication' })).toBeVisible()
  await page.getByRole('button', { name: 'Erase account …' }).click()
  const erasing = page.getByRole('dialog')
  await expect(erasing.getByLabel('Password')).toHaveCount(0)
  await erasing.getByRole('button', { name: 'Erase my account' }).click()
  await expect(erasing.getByText(/You signed in too long ago/)).toBeVisible()
})

const removePassword = unscopedCommand((db, $: { id: string }) =>
  db.updateTable('users').set({ password_hash: null }).where('id', '=', $.id),
)

browserTest('every screen asks for the password after an older sign-in', async (fixture) => {
  const { as, team, docket, allow } = fixture
  allow(403, 422)
  const page = await as('owner')
  const { password } = team.people.owner
  const settings = `/w/${team.workspace}/settings`
  await page.goto(`${settings}/members`)
  await ageSessions(docket, team.people.owner)
  await page.getByLabel('Role of The admin').selectOption('owner')
  // Without the password nothing changes.
  await expect(passwordField(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByText(/You signed in too long ago/)).toBeVisible()
  await expect(page.getByLabel('Role of The admin')).toHaveValue('admin')
  await page.getByLabel('Role of The admin').selectOption('owner')
  await confirmWithPassword(page, password)
  await expect(page.getByText('The admin is now')).toBeVisible()

  await ageSessions(docket, team.people.owner)
  await page.getByRole('button', { name: 'Invite' }).first().click()
  const dialog = page.getByRole('dialog', { name: /^Invite/ })
  await dialog.getByLabel('Email').fill('new@example.com, other@example.com')
  await dialog.getByRole('button', { name: /^Invite|^Create/ }).click()
  await confirmWithPassword(page, password)
  await expect(dialog.getByText(/\/invite\//)).toHaveCount(2)
  await dialog.getByRole('button', { name: 'Done' }).click()

  await ageSessions(docket, team.people.owner)
  await openScreen(page, `${settings}/webhooks`)
  await page
    .getByRole('button', { name: /webhook/i })
    .first()
    .click()
  await page.getByLabel('URL').fill('https://hooks.example.com/in')
  await page
    .getByRole('button', { name: /^(Create|Add)/ })
    .last()
    .click()
  await confirmWithPassword(page, password)
  await expect(page.getByText(/whsec_/)).toBeVisible()
})
