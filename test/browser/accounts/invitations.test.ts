import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { openScreen } from '../support/page-actions.ts'
import { routeRequests } from '../support/route-requests.ts'
import { storeUnsentMutation } from '../support/stored-mutations.ts'
import { createTeam, TEAM_PASSWORD } from '../support/team.ts'

const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }
/** Leaves a draft and an unsent change, and records whether other tabs are told of a sign-out. */
const leaveUnsentChange = async (page: Page): Promise<void> => {
  await page.evaluate(() => {
    new BroadcastChannel('docket-session').onmessage = () => Object.assign(window, { told: true })
    localStorage.setItem('docket.draft.comment', 'Half a sentence')
  })
  await storeUnsentMutation(page)
}

const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

browserTest('accepts invitations with a new, an existing and a wrong account', async (fixture) => {
  const { as, openAs, visitor, team, docket, allow } = fixture
  allow(401, 404, 409, /ERR_FAILED/)
  const otherTeam = await createTeam(docket)
  const existing = otherTeam.people.member
  const page = await openAs('admin', 'settings/members', CLIPBOARD)
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Email addresses')).toBeFocused()
  const typed = `mei-${existing.id}@halden.example, ${existing.email}\n${team.people.owner.email}`
  // Nobody is invited before everything is an address.
  await dialog.getByLabel('Email addresses').fill(`${typed}, nonsense`)
  await dialog.getByRole('button', { name: 'Invite 3 people' }).click()
  await expect(dialog.getByText('Not an email address: nonsense')).toBeVisible()
  await dialog.getByLabel('Email addresses').fill(typed)
  await dialog.getByRole('button', { name: 'Invite 3 people' }).click()
  await expect(dialog.getByText('2 invitations created.')).toBeVisible()
  await expect(dialog.getByLabel('Email addresses')).toHaveValue(team.people.owner.email)
  await expect(dialog.getByText(/A member of the workspace/)).toBeVisible()
  await assertAccessible(page, { within: OPEN_DIALOG })
  await dialog.getByRole('button', { name: 'Copy all' }).click()
  const links = (await readClipboard(page)).split('\n').map((line) => line.split(' ')[1] ?? '')
  assert.equal(links.length, 2)
  const [newAccountPath = '', existingAccountPath = ''] = links.map(
    (link) => new URL(link).pathname,
  )

  const stranger = await visitor({ timezoneId: 'Asia/Tokyo' })
  await stranger.goto(newAccountPath)
  await expect(stranger.getByRole('heading', { level: 1 })).toContainText('Join')
  await assertAccessible(stranger)
  await stranger.getByLabel('Name').fill('Mei Tanaka')
  await stranger.getByLabel('Password', { exact: true }).fill('A sentence works well')
  await stranger.getByRole('button', { name: 'Join' }).click()
  await stranger.waitForURL(`**/w/${team.workspace}/my`)
  await openScreen(stranger, `/w/${team.workspace}/settings/profile`)
  await expect(stranger.getByLabel('Time zone')).toHaveValue('Asia/Tokyo')

  const other = await as('guest')
  await other.goto(existingAccountPath)
  await expect(other.getByText('You are signed in with another account')).toBeVisible()
  // The first person's data is deleted with their session, after a question if some is not sent.
  await leaveUnsentChange(other)
  const switchAccount = other.getByRole('button', { name: `Continue as ${existing.email}` })
  await routeRequests(other, '**/internal/session', (route) => route.abort(), { times: 1 })
  const confirmSwitch = async () => {
    await switchAccount.click()
    const question = other.getByRole('dialog', { name: 'Sign out anyway?' })
    await expect(question.getByText(/^1 change has not been sent yet/)).toBeVisible()
    await question.getByRole('button', { name: 'Sign out and discard changes' }).click()
  }
  await confirmSwitch()
  await expect(other.getByText('Docket is not responding.')).toBeVisible()
  await confirmSwitch()
  await expect(other.getByLabel('Password', { exact: true })).toBeVisible()
  const left = await other.evaluate(() => [Reflect.get(window, 'told'), localStorage.length])
  assert.deepEqual(left, [true, 0])
  await other.getByLabel('Password', { exact: true }).fill('not it')
  await other.getByRole('button', { name: 'Join' }).click()
  await expect(other.getByText('Incorrect password.')).toBeVisible()
  await other.getByLabel('Password', { exact: true }).fill(TEAM_PASSWORD)
  await other.getByRole('button', { name: 'Join' }).click()
  await other.waitForURL(`**/w/${team.workspace}/my`)

  await stranger.goto(newAccountPath)
  await expect(stranger.getByText('This link has expired')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('row', { name: /Mei Tanaka/ })).toBeVisible()
})
