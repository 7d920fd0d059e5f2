import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { newGrant } from './support/third.ts'

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
const idIn = (text: string): string => /app_[0-9a-z]{26}/.exec(text)?.[0] ?? ''

browse('an application is registered, changed, given a new secret and deleted', async (scene) => {
  const { as, team } = scene
  scene.allow(422)
  const page = await as('admin', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(`/w/${team.workspace}/settings/api`)
  await page.getByRole('link', { name: 'OAuth applications' }).click()
  await expect(page.getByText('No application is registered yet.')).toBeVisible()
  await page.getByRole('button', { name: 'New app' }).first().click()
  const form = page.getByRole('dialog', { name: 'New application' })
  await form.getByLabel('Name').fill('Standup Notes')
  await form.getByLabel('Website').fill('https://notes.example/')
  await form.getByLabel('Returns to').fill('https://notes.example/cb')
  await form.getByRole('button', { name: 'Another address' }).click()
  await form.getByLabel('Redirect URI 2', { exact: true }).fill('http://evil.example/cb')
  await form.getByLabel('Comments: Write').check()
  await accessible(page)

  // What is wrong stands at the line that it is about.
  await form.getByRole('button', { name: 'Register' }).click()
  const second = form.getByLabel('Redirect URI 2', { exact: true })
  await expect(second).toBeFocused()
  await expect(second).toHaveAttribute('aria-invalid', 'true')
  await form.getByRole('button', { name: 'Remove redirect URI 2' }).click()
  await form.getByRole('button', { name: 'Register' }).click()

  const heading = page.getByRole('heading', { name: 'Standup Notes is registered.' })
  await expect(heading).toBeVisible()
  await accessible(page)
  await page.getByRole('link', { name: 'Profile' }).click()
  const asked = page.getByRole('dialog', { name: 'The secret is not copied' })
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Copy secret' }).click()
  const secret = await clipboard(page)
  assert.match(secret, /^dcs_[0-9A-Za-z]{38}$/)
  await page.getByRole('button', { name: 'Copy commands' }).first().click()
  assert.ok((await clipboard(page)).includes(`:${secret}"`))
  await page.getByRole('button', { name: 'Done' }).click()
  assert.ok(!(await page.content()).includes(secret))

  const shown = page.getByRole('region', { name: 'How Standup Notes connects' })
  await shown.getByRole('button', { name: 'Copy client ID' }).click()
  const id = await clipboard(page)
  assert.equal(id, idIn(page.url()))
  await expect(shown.getByText('Tasks: read; Comments: write')).toBeVisible()
  await expect(page.getByText('Nobody here allows it anything yet.')).toBeVisible()

  await shown.getByRole('button', { name: 'Edit' }).click()
  const change = page.getByRole('dialog', { name: 'Change Standup Notes' })
  await expect(change.getByText('It is confidential; that never changes.')).toBeVisible()
  await change.getByLabel('Name').fill('Daily Notes')
  await change.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('row', { name: /Daily Notes/ })).toBeVisible()

  await page.getByRole('button', { name: 'Rotate secret' }).click()
  const rotating = page.getByRole('dialog', { name: 'Give Daily Notes a new secret?' })
  await rotating.getByRole('button', { name: 'Rotate secret' }).click()
  await expect(page.getByRole('heading', { name: 'Daily Notes has a new secret.' })).toBeVisible()
  await page.getByRole('button', { name: 'Copy secret' }).click()
  assert.notEqual(await clipboard(page), secret)
  await page.getByRole('button', { name: 'Done' }).click()

  // Who allows it something is told, also before all of that ends.
  await newGrant(scene, 'owner', id)
  await newGrant(scene, 'member', id)
  await page.reload()
  const authorisations = page.getByRole('table', { name: 'Authorisations' })
  await expect(authorisations.getByRole('row')).toHaveCount(3)
  await expect(authorisations.getByText('Tasks: read and write; Comments: read')).toHaveCount(2)
  await accessible(page)
  await page.getByRole('button', { name: 'More for Daily Notes' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const removing = page.getByRole('dialog', { name: 'Delete Daily Notes?' })
  await expect(removing.getByText('2 authorisations here end')).toBeVisible()
  await removing.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No application is registered yet.')).toBeVisible()
})

browse('a person sees whom they allow what, and ends it', async (scene) => {
  const { as, team } = scene
  const admin = await as('admin')
  await admin.goto(`/w/${team.workspace}/settings/applications`)
  await admin.getByRole('button', { name: 'New app' }).first().click()
  const form = admin.getByRole('dialog', { name: 'New application' })
  await form.getByLabel('Name').fill('Pocket')
  await form.getByRole('radio', { name: /^Public/ }).check()
  await form.getByLabel('Returns to').fill('com.example.pocket:/done')
  await form.getByRole('button', { name: 'Register' }).click()
  await expect(admin.getByText('Registered Pocket')).toBeVisible()
  await expect(admin.getByRole('button', { name: 'Rotate secret' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await expect(admin).toHaveURL(/app=app_/)
  await newGrant(scene, 'member', idIn(admin.url()))

  const page = await as('member', { viewport: { width: 360, height: 740 } })
  await page.goto(`/w/${team.workspace}/settings/applications`)
  await expect(page.getByText(/Only owners and admins manage this/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'New app' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await page.getByLabel('Section').selectOption('api')
  const own = page.getByRole('table', { name: 'Authorised applications' })
  await expect(own.getByText('Tasks: read and write; Comments: read')).toBeVisible()
  await accessible(page)
  const other = await as('member')
  await other.goto(`/w/${team.workspace}/settings/api`)
  const elsewhere = other.getByRole('button', { name: 'Revoke Pocket' })
  await expect(elsewhere).toBeVisible()
  await page.getByRole('button', { name: 'Revoke Pocket' }).click()
  const asked = page.getByRole('dialog', { name: 'Revoke Pocket?' })
  await expect(asked.getByText(/it has to ask you again/)).toBeVisible()
  await asked.getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByText('You allow no application to act for you.')).toBeVisible()
  await expect(elsewhere).toBeHidden()
})
