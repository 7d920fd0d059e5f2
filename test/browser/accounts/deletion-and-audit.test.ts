import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { openScreen } from '../support/page-actions.ts'
import { routeRequests } from '../support/route-requests.ts'
import { storeUnsentMutation } from '../support/stored-mutations.ts'

browserTest('the audit log is filtered and downloaded', async ({ openAs, team }) => {
  const page = await openAs('owner', 'settings/members')
  await page.getByLabel('Role of The member').selectOption('guest')
  await expect(page.getByText('The member is now a guest')).toBeVisible()
  await openScreen(page, `/w/${team.workspace}/settings/audit`)
  const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await expect(rows.nth(1)).toContainText('Role changed')
  await expect(rows.nth(1)).toContainText('The member')
  await expect(rows.nth(1)).toContainText('Member → Guest')

  await page.getByLabel('Action').selectOption('Role changed')
  await expect(rows).toHaveCount(2)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download as JSON Lines' }).click()
  const lines = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).action),
    ['member.role_changed'],
  )
  await page.getByLabel('Person').selectOption('The guest')
  await expect(page.getByText('No entries match these filters.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rows.nth(1)).toContainText('Role changed')

  const member = await openAs('admin', 'settings/audit', { viewport: { width: 360, height: 740 } })
  await expect(member.getByRole('row').filter({ hasText: 'Role changed' })).toBeVisible()
  assert.ok(await member.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  const guest = await openAs('guest', 'settings/audit')
  await expect(guest.getByText(/Only owners and admins can manage this/)).toBeVisible()
})

browserTest('deletes a workspace once its name is typed, and restores it', async (fixture) => {
  const { as, openAs, team, allow } = fixture
  allow(401, 410, 422, /ERR_FAILED/)
  const page = await as('owner')
  const member = await openAs('member', 'my')
  await page.goto(`/w/${team.workspace}/settings/workspace`)
  await page.getByRole('button', { name: 'Delete workspace …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type “Test” to confirm').fill('test')
  await dialog.getByLabel('Password').fill(team.people.owner.password)
  await dialog.getByRole('button', { name: 'Delete workspace' }).click()
  await expect(dialog.getByText('must be the name of the workspace')).toBeVisible()
  await assertAccessible(page, { within: OPEN_DIALOG })
  await dialog.getByLabel('Type “Test” to confirm').fill('Test')
  await dialog.getByRole('button', { name: 'Delete workspace' }).click()

  await page.waitForURL('**/deleted')
  await expect(page.getByRole('heading', { name: 'Test was deleted' })).toBeVisible()
  await expect(page.getByText(/It will be permanently erased on/)).toBeVisible()
  await assertAccessible(page)
  await routeRequests(page, '**/internal/session', (route) => route.abort(), { times: 1 })
  await storeUnsentMutation(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await dialog.getByRole('button', { name: 'Sign out and discard changes' }).click()
  await expect(page.getByText('Docket is not responding.')).toBeVisible()
  await member.reload()
  await member.waitForURL('**/sign-in?next=**')
  // Every address of the workspace redirects there.
  await page.goto(`/w/${team.workspace}/my`)
  await page.waitForURL('**/deleted')
  await page.getByRole('button', { name: 'Restore workspace' }).click()
  await page.waitForURL(`**/w/${team.workspace}/my`)
  await expect(page.getByText('No tasks assigned to you.')).toBeVisible()
  await member.goto(`/w/${team.workspace}/my`)
  await expect(member.getByText('No tasks assigned to you.')).toBeVisible()

  const admin = await openAs('admin', 'settings/workspace')
  const off = admin.getByRole('button', { name: 'Delete workspace …' })
  await expect(off).toHaveAttribute('title', 'Only owners can delete the workspace.')
})

browserTest('a person erases their own account', async ({ openAs, team, allow }) => {
  allow(401, 422)
  const page = await openAs('member', 'settings/profile')
  await page.getByRole('button', { name: 'Erase account …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Password').fill('not mine')
  await dialog.getByRole('button', { name: 'Erase my account' }).click()
  await expect(dialog.getByText('is not your current password')).toBeVisible()
  await assertAccessible(page, { within: OPEN_DIALOG })
  await dialog.getByLabel('Password').fill(team.people.member.password)
  await dialog.getByRole('button', { name: 'Erase my account' }).click()
  await page.waitForURL('**/sign-in')
  const owner = await openAs('owner', 'settings/members')
  await expect(owner.getByText('The admin').first()).toBeVisible()
  await expect(owner.getByText('The member')).toHaveCount(0)
})
