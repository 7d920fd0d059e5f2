import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { newTeam, PASSWORD } from './support/team.ts'

const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

browse('invited: by a new account, by one that is there, in the wrong one', async (scene) => {
  const { as, visitor, team, docket, allow } = scene
  allow(401, 404, 409)
  const elsewhere = await newTeam(docket)
  const known = elsewhere.people.member
  const page = await as('admin', CLIPBOARD)
  await page.goto(`/w/${team.workspace}/settings/members`)
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  const typed = `mei-${known.id}@halden.example, ${known.email}\n${team.people.owner.email}`
  await dialog.getByLabel('Emails').fill(typed)
  await dialog.getByRole('button', { name: 'Invite 3 people' }).click()
  await expect(dialog.getByText('2 invitations are ready.')).toBeVisible()
  await expect(dialog.getByLabel('Emails')).toHaveValue(team.people.owner.email)
  await expect(dialog.getByText(/A member of the workspace/)).toBeVisible()
  await accessible(page)
  await dialog.getByRole('button', { name: 'Copy all' }).click()
  const links = (await clipboard(page)).split('\n').map((line) => line.split(' ')[1] ?? '')
  assert.equal(links.length, 2)
  const [fresh = '', present = ''] = links.map((link) => new URL(link).pathname)

  const stranger = await visitor()
  await stranger.goto(fresh)
  await expect(stranger.getByRole('heading', { level: 1 })).toContainText('Join')
  await accessible(stranger)
  await stranger.getByLabel('Name').fill('Mei Tanaka')
  await stranger.getByLabel('Password', { exact: true }).fill('a sentence is fine')
  await stranger.getByRole('button', { name: 'Join' }).click()
  await stranger.waitForURL(`**/w/${team.workspace}/my`)

  const other = await as('guest')
  await other.goto(present)
  await expect(other.getByText('Another account is signed in')).toBeVisible()
  await other.getByRole('button', { name: `Go on as ${known.email}` }).click()
  await other.getByLabel('Password', { exact: true }).fill('not it')
  await other.getByRole('button', { name: 'Join' }).click()
  await expect(other.getByText('This is not the password of the account.')).toBeVisible()
  await other.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await other.getByRole('button', { name: 'Join' }).click()
  await other.waitForURL(`**/w/${team.workspace}/my`)

  await stranger.goto(fresh)
  await expect(stranger.getByText('This link does not work any more')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('row', { name: /Mei Tanaka/ })).toBeVisible()
})

browse('an invitation is withdrawn, and made anew', async ({ as, visitor, team, allow }) => {
  allow(401, 404)
  const page = await as('owner', CLIPBOARD)
  await page.goto(`/w/${team.workspace}/settings/members`)
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  const email = `guest-${team.workspace}@halden.example`
  await dialog.getByLabel('Emails').fill(email)
  await dialog.getByLabel('Role').selectOption('guest')
  await dialog.getByLabel(/^ENG/).check()
  await dialog.getByRole('button', { name: 'Invite 1 person' }).click()
  await dialog.getByRole('button', { name: `Copy link for ${email}` }).click()
  const first = new URL(await clipboard(page)).pathname
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: `Make a new link for ${email}` }).click()
  await page.getByRole('button', { name: `Copy link for ${email}` }).click()
  const second = new URL(await clipboard(page)).pathname
  assert.notEqual(first, second)
  await page.keyboard.press('Escape')
  const stranger = await visitor()
  await stranger.goto(first)
  await expect(stranger.getByText('This link does not work any more')).toBeVisible()
  await stranger.goto(second)
  await expect(stranger.getByText(/as a guest/)).toBeVisible()
  await page.getByRole('button', { name: `Withdraw the invitation of ${email}` }).click()
  await expect(page.getByText(`Withdrew the invitation of ${email}`)).toBeVisible()
  await stranger.reload()
  await expect(stranger.getByText('This link does not work any more')).toBeVisible()
})
