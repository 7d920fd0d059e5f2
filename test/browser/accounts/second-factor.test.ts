import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { closeCopiedSecret, openScreen } from '../support/page-actions.ts'
import { refuseRequest, routeRequests } from '../support/route-requests.ts'
import { signInByForm } from '../support/seed.ts'
import { storeUnsentMutation } from '../support/stored-mutations.ts'

const FACTOR = 'section[aria-label="Two-factor authentication"]'

browserTest('signs in with one-time codes and recovery codes', async (fixture) => {
  const { visitor, team, docket, allow } = fixture
  allow(401, 403, 422)
  const { email, password } = team.people.member
  const page = await visitor()
  await page.context().grantPermissions(['clipboard-write'])
  await signInByForm(page, team.people.member)
  await openScreen(page, `/w/${team.workspace}/settings/profile`)
  const factor = page.getByRole('region', { name: 'Two-factor authentication' })
  await factor.getByRole('button', { name: 'Turn on' }).click()
  await expect(factor.getByLabel('Password')).toBeFocused()
  await factor.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await expect(factor.getByRole('img', { name: 'Setup key as an image to scan' })).toBeVisible()
  await assertAccessible(page, { within: FACTOR })
  const secret = (await factor.locator('code').textContent()) ?? ''
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  await factor.getByLabel('Code').fill('000000')
  await page.keyboard.press('Enter')
  await expect(factor.getByText('is wrong or was already used')).toBeVisible()
  const code = totp.generate()
  let isRefused = true
  await routeRequests(page, '**/internal/account/sign-in', (route) =>
    isRefused ? refuseRequest(route) : route.fallback(),
  )
  await factor.getByLabel('Code').fill(code)
  await page.keyboard.press('Enter')
  const copy = factor.getByRole('button', { name: 'Copy codes' })
  await expect(copy).toBeFocused()
  // The codes stay on the screen even if the state of the account cannot be read again.
  await expect(page.getByText('Not now.')).toBeVisible()
  isRefused = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Not now.')).toBeHidden()
  const [first = '', second = ''] = ((await factor.locator('code').textContent()) ?? '').split(
    /\s+/,
  )
  assert.match(first, /^\w{4}-\w{4}-\w{4}-\w{4}$/)
  await assertAccessible(page, { within: FACTOR })
  await copy.click()
  await closeCopiedSecret(factor)
  await expect(factor.getByText('10 recovery codes left.')).toBeVisible()

  const other = await visitor()
  await other.goto(`/sign-in?next=/w/${team.workspace}/projects`)
  await other.getByLabel('Email').fill(email)
  await other.getByLabel('Password', { exact: true }).fill(password)
  await other.keyboard.press('Enter')
  await expect(other.getByLabel('Code')).toBeFocused()
  await assertAccessible(other)
  // The code that turned it on cannot be used again.
  await other.getByLabel('Code').fill(code)
  await other.keyboard.press('Enter')
  await expect(other.getByText('This code is incorrect or was already used.')).toBeVisible()
  await other.getByLabel('Code').fill(first)
  await other.keyboard.press('Enter')
  await other.waitForURL(`${docket.url}/w/${team.workspace}/projects`)
  await expect(other.getByRole('link', { name: 'My work' }).first()).toBeVisible()

  // The dialog for an ended session asks for a code, too.
  await page.context().clearCookies()
  await page.reload()
  await page.waitForURL('**/sign-in?**')
  await page.goto('about:blank')
  await other.context().clearCookies()
  await openScreen(other, `/w/${team.workspace}/my`)
  const sessionDialog = other.getByRole('dialog', { name: 'Your session has ended' })
  await sessionDialog.getByLabel('Password').fill(password)
  await other.keyboard.press('Enter')
  await sessionDialog.getByLabel('Code').fill(second)
  await other.keyboard.press('Enter')
  await expect(sessionDialog).toBeHidden()
})

/** Turns on one-time codes in the profile, or where the workspace asks for them. */
async function turnOnCodes(page: Page, password: string): Promise<void> {
  const factor = page.getByRole('region', { name: 'Two-factor authentication' })
  await factor.getByRole('button', { name: 'Turn on' }).click()
  await factor.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  const secret = (await factor.locator('code').textContent()) ?? ''
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  await factor.getByLabel('Code').fill(totp.generate())
  await page.keyboard.press('Enter')
  await factor.getByRole('button', { name: 'Copy codes' }).click()
  await closeCopiedSecret(factor)
}

browserTest('requiring a second factor sends members to its setup', async (fixture) => {
  const { visitor, team, allow } = fixture
  // The page without cookies keeps requesting until it is left.
  allow(/40[139]/, 401, 403, 409)
  const settings = `/w/${team.workspace}/settings`
  const owner = await visitor()
  await owner.context().grantPermissions(['clipboard-write'])
  await signInByForm(owner, team.people.owner)
  await openScreen(owner, `${settings}/workspace`)
  const policy = owner.getByRole('region', { name: 'Two-factor authentication' })
  await expect(policy.getByText('have not set it up yet')).toBeVisible()
  await policy.getByRole('button', { name: 'Require for everyone' }).click()
  await expect(owner.getByText('Before you require two-factor authentication')).toBeVisible()
  await openScreen(owner, `${settings}/profile`)
  await turnOnCodes(owner, team.people.owner.password)

  const member = await visitor()
  await member.context().grantPermissions(['clipboard-write'])
  await signInByForm(member, team.people.member)
  await openScreen(member, `/w/${team.workspace}/projects`)
  await expect(member.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()

  await openScreen(owner, `${settings}/workspace`)
  await policy.getByRole('button', { name: 'Require for everyone' }).click()
  await expect(policy.getByText('must set up two-factor authentication')).toBeVisible()
  await assertAccessible(owner)

  // The open page is redirected to the setup, and returns to where it was.
  await member.waitForURL('**/second-factor?next=*')
  await expect(
    member.getByRole('heading', { name: /requires two-factor authentication$/ }),
  ).toBeVisible()
  await assertAccessible(member)
  await storeUnsentMutation(member)
  await member.getByRole('button', { name: 'Sign out' }).click()
  await member.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await turnOnCodes(member, team.people.member.password)
  await member.getByRole('button', { name: 'Continue' }).click()
  await expect(member.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()

  await policy.getByRole('button', { name: 'Stop requiring' }).click()
  await expect(policy.getByText('Members choose whether')).toBeVisible()
})
