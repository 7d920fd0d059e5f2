import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { findFreePort } from '../../support/system/free-port.ts'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest } from '../support/browser-test.ts'
import { closeCopiedSecret } from '../support/close-secret.ts'
import { expect } from '../support/expect.ts'
import { openScreen } from '../support/open-screen.ts'
import { signInByForm } from '../support/seed.ts'
import { storeUnsentMutation } from '../support/stored-mutations.ts'
import { addVirtualAuthenticator } from '../support/virtual-authenticator.ts'

/** Turns on one-time codes and returns their generator. */
async function turnOnCodes(page: Page, password: string): Promise<TOTP> {
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
  return totp
}

// Passkeys are bound to a host name; browsers accept none for an IP address.
const port = await findFreePort()
const site = `http://localhost:${port}`

browserTest(
  'requiring a second factor sends members to its setup',
  { env: { DOCKET_BASE_URL: site }, port },
  async ({ visitor, team, allow }) => {
    // The page without cookies keeps requesting until it is left.
    allow(/40[139]/, 401, 403, 409)
    const settings = `/w/${team.workspace}/settings`
    const owner = await visitor({ baseURL: site })
    await owner.context().grantPermissions(['clipboard-write'])
    await signInByForm(owner, team.people.owner)
    await openScreen(owner, `${settings}/workspace`)
    const policy = owner.getByRole('region', { name: 'Two-factor authentication' })
    await expect(policy.getByText('have not set it up yet')).toBeVisible()
    await policy.getByRole('button', { name: 'Require for everyone' }).click()
    await expect(owner.getByText('Before you require two-factor authentication')).toBeVisible()
    await openScreen(owner, `${settings}/profile`)
    await turnOnCodes(owner, team.people.owner.password)

    const member = await visitor({ baseURL: site })
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

    // A new sign-in is redirected too, and a passkey counts as a second factor.
    const admin = await visitor({ baseURL: site })
    await addVirtualAuthenticator(admin)
    await admin.goto(`/sign-in?next=/w/${team.workspace}/projects`)
    await admin.getByLabel('Email').fill(team.people.admin.email)
    await admin.getByLabel('Password', { exact: true }).fill(team.people.admin.password)
    await admin.keyboard.press('Enter')
    await admin.waitForURL('**/second-factor?next=*')
    const passkeys = admin.getByRole('region', { name: 'Passkeys' })
    await passkeys.getByRole('button', { name: 'Create passkey' }).click()
    await passkeys.getByLabel('Password').fill(team.people.admin.password)
    await admin.keyboard.press('Enter')
    await admin.getByRole('button', { name: 'Continue' }).click()
    await expect(admin.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()

    // After a sign-in by password alone, the existing passkey has to be used.
    await admin.context().clearCookies()
    await admin.goto(`/sign-in?next=/w/${team.workspace}/projects`)
    await admin.getByLabel('Email').fill(team.people.admin.email)
    await admin.getByLabel('Password', { exact: true }).fill(team.people.admin.password)
    await admin.keyboard.press('Enter')
    await admin.getByRole('link', { name: 'Sign in with your code' }).click()
    await admin.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await expect(admin.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()
    assert.equal(new URL(admin.url()).pathname, `/w/${team.workspace}/projects`)

    await policy.getByRole('button', { name: 'Stop requiring' }).click()
    await expect(policy.getByText('Members choose whether')).toBeVisible()
  },
)
