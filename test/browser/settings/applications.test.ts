import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { createAppGrant } from '../support/oauth/third-party-app.ts'

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
const idIn = (text: string): string => /app_[0-9a-z]{26}/.exec(text)?.[0] ?? ''

browserTest('registers, edits, rotates and deletes an OAuth application', async (fixture) => {
  const { openAs } = fixture
  // While the application is being deleted, its page may read its grants once more.
  fixture.allow(422, 404)
  const page = await openAs('admin', 'settings/api', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.getByRole('link', { name: 'OAuth applications' }).click()
  await expect(page.getByText('No applications yet.')).toBeVisible()
  await page.getByRole('button', { name: 'New application' }).click()
  const form = page.getByRole('dialog', { name: 'New application' })
  await form.getByLabel('Name').fill('Standup Notes')
  await form.getByLabel('Website').fill('https://notes.example/')
  await form.getByLabel('Redirect URIs').fill('https://notes.example/cb')
  await form.getByRole('button', { name: 'Add redirect URI' }).click()
  await form.getByLabel('Redirect URI 2', { exact: true }).fill('http://evil.example/cb')
  await form.getByLabel('Comments: Write').check()
  await assertAccessible(page, { within: OPEN_DIALOG })

  // The error is shown at the redirect URI that caused it.
  await form.getByRole('button', { name: 'Register application' }).click()
  const second = form.getByLabel('Redirect URI 2', { exact: true })
  await expect(second).toBeFocused()
  await expect(second).toHaveAttribute('aria-invalid', 'true')
  await form.getByRole('button', { name: 'Remove redirect URI 2' }).click()
  await form.getByRole('button', { name: 'Register application' }).click()

  const heading = page.getByRole('heading', { name: 'Standup Notes is registered.' })
  await expect(heading).toBeVisible()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Copy secret' }).click()
  const secret = await clipboard(page)
  assert.match(secret, /^dcs_[0-9A-Za-z]{38}$/)
  await page.getByRole('button', { name: 'Copy commands' }).first().click()
  assert.ok((await clipboard(page)).includes(`:${secret}"`))
  await page.getByRole('button', { name: 'Done' }).click()
  assert.ok(!(await page.content()).includes(secret))

  const details = page.getByRole('region', { name: 'Connect Standup Notes' })
  await details.getByRole('button', { name: 'Copy client ID' }).click()
  const id = await clipboard(page)
  assert.equal(id, idIn(page.url()))
  await expect(details.getByText('Tasks: read; Comments: write')).toBeVisible()
  await expect(page.getByText('No one in this workspace has authorized it yet.')).toBeVisible()

  await details.getByRole('button', { name: 'Edit' }).click()
  const change = page.getByRole('dialog', { name: 'Edit Standup Notes' })
  await expect(
    change.getByText('This application is confidential. You cannot change its type.'),
  ).toBeVisible()
  await change.getByLabel('Name').fill('Daily Notes')
  const saving = page.waitForRequest((request) => request.method() === 'PATCH')
  await change.getByRole('button', { name: 'Save' }).click()
  assert.deepEqual((await saving).postDataJSON(), { name: 'Daily Notes' })
  await expect(page.getByRole('row', { name: /Daily Notes/ })).toBeVisible()

  await page.getByRole('button', { name: 'Rotate secret' }).click()
  const rotating = page.getByRole('dialog', { name: 'Rotate the secret of Daily Notes?' })
  await rotating.getByRole('button', { name: 'Rotate secret' }).click()
  await expect(
    page.getByRole('heading', { name: 'Daily Notes has a new secret. Copy it now.' }),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Copy secret' }).click()
  assert.notEqual(await clipboard(page), secret)
  await page.getByRole('button', { name: 'Done' }).click()

  // The page lists who has authorized it, and deleting names how many authorizations end.
  await createAppGrant(fixture, 'owner', id)
  await createAppGrant(fixture, 'member', id)
  await page.reload()
  const authorisations = page.getByRole('table', { name: 'Authorizations' })
  await expect(authorisations.getByRole('row')).toHaveCount(3)
  await expect(authorisations.getByText('Tasks: read and write; Comments: read')).toHaveCount(2)
  await page.getByRole('button', { name: 'More for Daily Notes' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const removing = page.getByRole('dialog', { name: 'Delete Daily Notes?' })
  await expect(removing.getByText('2 authorizations in this workspace are revoked')).toBeVisible()
  await removing.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No applications yet.')).toBeVisible()
})

browserTest('lists the authorized applications of a person, and revokes one', async (fixture) => {
  const { openAs } = fixture
  const admin = await openAs('admin', 'settings/applications')
  await admin.getByRole('button', { name: 'New application' }).click()
  const form = admin.getByRole('dialog', { name: 'New application' })
  await form.getByLabel('Name').fill('Pocket')
  await form.getByRole('radio', { name: /^Public/ }).check()
  await form.getByLabel('Redirect URIs').fill('com.example.pocket:/done')
  await form.getByRole('button', { name: 'Register application' }).click()
  await expect(admin.getByText('Registered Pocket')).toBeVisible()
  await expect(admin.getByRole('button', { name: 'Rotate secret' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await expect(admin).toHaveURL(/app=app_/)
  await createAppGrant(fixture, 'member', idIn(admin.url()))

  const page = await openAs('member', 'settings/applications', {
    viewport: { width: 360, height: 740 },
  })
  await expect(page.getByText(/Only owners and admins can manage this/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'New application' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await page.getByLabel('Section').selectOption('integrations')
  const authorized = page.getByRole('table', { name: 'Authorized applications' })
  await expect(authorized.getByText('Tasks: read and write; Comments: read')).toBeVisible()
  await assertAccessible(page)
  const other = await openAs('member', 'settings/api')
  const otherTabRevoke = other.getByRole('button', { name: 'Revoke Pocket' })
  await expect(otherTabRevoke).toBeVisible()
  await page.getByRole('button', { name: 'Revoke Pocket' }).click()
  const confirmDialog = page.getByRole('dialog', { name: 'Revoke Pocket?' })
  await expect(confirmDialog.getByText(/it needs your permission again/)).toBeVisible()
  await confirmDialog.getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByText('No authorized applications')).toBeVisible()
  await expect(otherTabRevoke).toBeHidden()
})
