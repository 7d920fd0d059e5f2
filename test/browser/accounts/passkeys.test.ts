import assert from 'node:assert/strict'
import type { Locator, Page } from '@playwright/test'
import { findFreePort } from '../../support/system/free-port.ts'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { openScreen } from '../support/page-actions.ts'

// Passkeys are bound to a host name; browsers accept none for an IP address.
const port = await findFreePort()
const site = `http://localhost:${port}`

/**
 * Adds the virtual authenticator of the browser (DevTools protocol, domain WebAuthn). With
 * conditional mediation, a passkey that a field offers is used at once; without, the browser does
 * not support it.
 */
async function addVirtualAuthenticator(page: Page, { hasConditionalMediation = false } = {}) {
  if (!hasConditionalMediation) {
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false
    })
  }
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** Creates a passkey in the profile and returns the region that lists it. */
async function createPasskey(page: Page, password: string): Promise<Locator> {
  const passkeys = page.getByRole('region', { name: 'Passkeys' })
  await passkeys.getByRole('button', { name: 'Create passkey' }).click()
  await passkeys.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await expect(passkeys.getByRole('row')).toHaveCount(2)
  return passkeys
}

browserTest(
  'the email field offers a passkey, which signs in until it is removed',
  { env: { DOCKET_BASE_URL: site }, port },
  async ({ visitor, team, allow }) => {
    allow(401)
    const { email, password } = team.people.member
    const page = await visitor({ baseURL: site })
    await addVirtualAuthenticator(page, { hasConditionalMediation: true })
    const profile = `/w/${team.workspace}/settings/profile`
    await page.goto(`/sign-in?next=${profile}`)
    const field = page.getByLabel('Email')
    assert.equal(await field.getAttribute('autocomplete'), 'username webauthn')
    await field.fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    const passkeys = await createPasskey(page, password)
    await assertAccessible(page)

    // Without any input the authenticator answers the conditional request of the field.
    await page.context().clearCookies()
    await page.goto(`/sign-in?next=${profile}`)
    await page.waitForURL(site + profile)
    await passkeys.getByRole('button', { name: /^Remove passkey/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Password').fill(password)
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect(passkeys.getByText('Passkeys let you sign in')).toBeVisible()

    // A passkey that was removed leaves the form usable.
    await page.context().clearCookies()
    await page.goto(`/sign-in?next=${profile}`)
    await expect(
      page.getByText('This passkey does not belong to an account here.').first(),
    ).toBeVisible()
    await field.fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.waitForURL(site + profile)
  },
)

browserTest(
  'a passkey signs in without a password, also when a session has ended',
  { env: { DOCKET_BASE_URL: site }, port },
  async ({ visitor, team, allow }) => {
    allow(401)
    const { email, password } = team.people.member
    const page = await visitor({ baseURL: site })
    await addVirtualAuthenticator(page)
    await page.goto(`/sign-in?next=/w/${team.workspace}/settings/profile`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await createPasskey(page, password)

    await page.context().clearCookies()
    await page.goto(`/sign-in?next=/w/${team.workspace}/projects`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()
    await page.context().clearCookies()
    // A read of the page may have shown the dialog already, above its links.
    await openScreen(page, `/w/${team.workspace}/my`)
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await expect(dialog).toBeHidden()
  },
)
