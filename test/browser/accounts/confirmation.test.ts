import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
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
