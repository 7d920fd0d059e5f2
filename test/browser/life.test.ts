import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { NOBODY } from '#core/actor.ts'
import { removeMember } from '#resources/members/membership.ts'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'

browse('the audit log: who did what, checked, narrowed and saved', async ({ as, team }) => {
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/settings/members`)
  await page.getByLabel('Role of The member').selectOption('guest')
  await expect(page.getByText('The member is a guest now')).toBeVisible()
  await page.goto(`/w/${team.workspace}/settings/audit`)
  await expect(page.getByText(/All \d+ entries are as they were written/)).toBeVisible()
  const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await expect(rows.nth(1)).toContainText('Role changed')
  await expect(rows.nth(1)).toContainText('The member')
  await expect(rows.nth(1)).toContainText('from: member, to: guest')
  await accessible(page)

  await page.getByLabel('What').selectOption('Role changed')
  await expect(rows).toHaveCount(2)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as JSON Lines' }).click()
  const lines = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).action),
    ['member.role_changed'],
  )
  await page.getByLabel('Who').selectOption('The guest')
  await expect(page.getByText('Nothing of this kind was done.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rows.nth(1)).toContainText('Role changed')

  const member = await as('admin', { viewport: { width: 360, height: 740 } })
  await member.goto(`/w/${team.workspace}/settings/audit`)
  await expect(member.getByText(/are as they were written/)).toBeVisible()
  assert.ok(await member.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  const guest = await as('guest')
  await guest.goto(`/w/${team.workspace}/settings/audit`)
  await expect(guest.getByText(/Only owners and admins manage this/)).toBeVisible()
})

browse('a workspace is deleted by its name, and restored', async ({ as, team, allow }) => {
  allow(401, 410, 422)
  const page = await as('owner')
  const member = await as('member')
  await member.goto(`/w/${team.workspace}/my`)
  await page.goto(`/w/${team.workspace}/settings/workspace`)
  await page.getByRole('button', { name: 'Delete workspace …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type its name: Test').fill('test')
  await dialog.getByLabel('Your password').fill(team.people.owner.password)
  await dialog.getByRole('button', { name: 'Delete the workspace' }).click()
  await expect(dialog.getByText('must be the name of the workspace')).toBeVisible()
  await accessible(page)
  await dialog.getByLabel('Type its name: Test').fill('Test')
  await dialog.getByRole('button', { name: 'Delete the workspace' }).click()

  await page.waitForURL('**/deleted')
  await expect(page.getByRole('heading', { name: 'Test is deleted' })).toBeVisible()
  await expect(page.getByText(/It will be erased on/)).toBeVisible()
  await accessible(page)
  await member.reload()
  await member.waitForURL('**/sign-in?next=**')
  // Whatever an owner opens leads there.
  await page.goto(`/w/${team.workspace}/my`)
  await page.waitForURL('**/deleted')
  await page.getByRole('button', { name: 'Restore the workspace' }).click()
  await page.waitForURL(`**/w/${team.workspace}/my`)
  await expect(page.getByText('Nothing is assigned to you.')).toBeVisible()
  await member.goto(`/w/${team.workspace}/my`)
  await expect(member.getByText('Nothing is assigned to you.')).toBeVisible()

  const admin = await as('admin')
  await admin.goto(`/w/${team.workspace}/settings/workspace`)
  const off = admin.getByRole('button', { name: 'Delete workspace …' })
  await expect(off).toHaveAttribute('title', 'Only owners delete the workspace.')
})

browse('a person erases their own account', async ({ as, team, allow }) => {
  allow(401, 422)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/settings/profile`)
  await page.getByRole('button', { name: 'Erase account …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill('not mine')
  await dialog.getByRole('button', { name: 'Erase my account for good' }).click()
  await expect(dialog.getByText('is not your present password')).toBeVisible()
  await accessible(page)
  await dialog.getByLabel('Your password').fill(team.people.member.password)
  await dialog.getByRole('button', { name: 'Erase my account for good' }).click()
  await page.waitForURL('**/sign-in')
  const owner = await as('owner')
  await owner.goto(`/w/${team.workspace}/settings/members`)
  await expect(owner.getByText('The admin').first()).toBeVisible()
  await expect(owner.getByText('The member')).toHaveCount(0)
})

const OPEN = { env: { DOCKET_SIGNUP: 'open' } }

browse('who was removed from the only workspace begins another', OPEN, async (scene) => {
  const { docket, team, visitor, allow } = scene
  allow(403)
  const { id, email, password } = team.people.member
  const owner = { ...NOBODY, role: 'owner', workspace_id: team.workspace } as const
  await docket.storage.write(owner, (tx) => removeMember(tx, id))
  const page = await visitor()
  const signIn = async () => {
    await page.goto('/sign-in?next=%2Fstart')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/no-workspace')
  }
  await signIn()
  await expect(page.getByRole('heading', { name: 'You are in no workspace' })).toBeVisible()
  await accessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')

  await signIn()
  await page.getByRole('textbox', { name: 'Workspace' }).fill('My own')
  await page.getByRole('button', { name: 'Begin workspace' }).click()
  await page.waitForURL('**/w/*/my')
  await expect(page.getByText('My own').first()).toBeAttached()
})
