import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand } from '#db/core/statement.ts'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { createThirdPartyApp } from '../support/oauth/third-party-app.ts'
import { ageSessions } from '../support/team.ts'

const passwordField = (page: Page) => page.getByLabel('Password', { exact: true })

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
  await passwordField(page).fill('not the password')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/is not your current password/)).toBeVisible()
  await passwordField(page).fill(password)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Back in the app')).toBeVisible()
  const { user } = await app.me(app.callbacks[0]?.searchParams.get('code'))
  assert.equal(user.id, id)

  // Without a password, a new sign-in confirms who allows it.
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

browserTest('adding owners asks for the password after an older sign-in', async (fixture) => {
  const { as, team, docket, allow } = fixture
  allow(422)
  const page = await as('owner')
  const { password } = team.people.owner
  await page.goto(`/w/${team.workspace}/settings/members`)
  await ageSessions(docket, team.people.owner)
  await page.getByLabel('Role of The admin').selectOption('owner')
  const roleDialog = page.getByRole('dialog', { name: 'Role of The admin' })
  await assertAccessible(page, { within: OPEN_DIALOG })
  await roleDialog.getByLabel('Password').fill(password)
  await roleDialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The admin is now')).toBeVisible()
  await expect(page.getByLabel('Role of The admin')).toHaveValue('owner')

  await page.getByRole('button', { name: 'Invite' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill('new@example.com, other@example.com')
  await dialog.getByLabel('Role').selectOption('owner')
  await dialog.getByRole('button', { name: /^Invite|^Create/ }).click()
  await dialog.getByLabel('Password').fill('not the password')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText(/is not your current password/)).toBeVisible()
  await dialog.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await expect(dialog.getByText(/\/invite\//)).toHaveCount(2)
  await dialog.getByRole('button', { name: 'Done' }).click()
  const links = page.getByRole('dialog', { name: 'Link for new@example.com' })
  await page.getByRole('button', { name: 'Create a new link for new@example.com' }).click()
  await links.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await expect(links.getByText(/\/invite\//)).toHaveCount(1)
  await expect(links.getByLabel('Password')).toHaveCount(0)
})

browserTest('a new password can end API keys in the profile', async (fixture) => {
  const { as, team, docket } = fixture
  const page = await as('member')
  const { password, key } = team.people.member
  await page.goto(`/w/${team.workspace}/settings/profile`)
  const all = page.getByLabel(/End all other access/)
  await expect(page.getByLabel('New password')).toBeVisible()
  await expect(all).toHaveCount(0)
  await page.getByLabel('New password').fill('plum cake at night')
  await all.check()
  await page.getByLabel('Current password').fill(password)
  const form = page.getByRole('form', { name: 'Sign-in' })
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Password changed')).toBeVisible()
  await expect(all).toHaveCount(0)
  const headers = { authorization: `Bearer ${key}` }
  assert.equal((await fetch(`${docket.url}/api/v1/me`, { headers })).status, 401)
})
