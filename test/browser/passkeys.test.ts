import assert from 'node:assert/strict'
import type { Locator, Page } from '@playwright/test'
import { freePort } from '../support/port.ts'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { withAuthenticator } from './support/webauthn.ts'

// Browsers keep passkeys for names alone.
const port = await freePort()
const site = `http://localhost:${port}`

/** Makes a passkey in the profile, and gives the part of the page that lists it. */
async function withPasskey(page: Page, password: string): Promise<Locator> {
  const passkeys = page.getByRole('region', { name: 'Passkeys' })
  await passkeys.getByRole('button', { name: 'Make a passkey' }).click()
  await passkeys.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await expect(passkeys.getByRole('row')).toHaveCount(2)
  return passkeys
}

browse(
  'a passkey signs in without a password until it is removed',
  { env: { DOCKET_BASE_URL: site }, port },
  async (scene) => {
    const { visitor, team, allow } = scene
    allow(401)
    const { email, password } = team.people.member
    const page = await visitor({ baseURL: site })
    await withAuthenticator(page)
    await page.goto(`/sign-in?next=/w/${team.workspace}/settings/profile`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    const passkeys = await withPasskey(page, password)
    await accessible(page)

    await page.context().clearCookies()
    await page.goto(`/sign-in?next=/w/${team.workspace}/projects`)
    await accessible(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()

    await page.context().clearCookies()
    await page.getByRole('link', { name: 'My work' }).first().click()
    const over = page.getByRole('dialog', { name: 'Your session has ended' })
    await over.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await expect(over).toBeHidden()

    await page.goto(`/w/${team.workspace}/settings/profile`)
    await passkeys.getByRole('button', { name: /^Remove the passkey/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expect(passkeys.getByText('A passkey signs you in')).toBeVisible()
    await page.context().clearCookies()
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await expect(page.getByText('This passkey opens no account here.')).toBeVisible()
    assert.equal(new URL(page.url()).pathname, '/sign-in')
  },
)

browse(
  'the e-mail field offers a passkey (conditional mediation)',
  { env: { DOCKET_BASE_URL: site }, port },
  async ({ visitor, team, allow }) => {
    allow(401)
    const { email, password } = team.people.member
    const page = await visitor({ baseURL: site })
    await withAuthenticator(page, { offers: true })
    const profile = `/w/${team.workspace}/settings/profile`
    await page.goto(`/sign-in?next=${profile}`)
    const field = page.getByLabel('Email')
    assert.equal(await field.getAttribute('autocomplete'), 'username webauthn')
    await field.fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    const passkeys = await withPasskey(page, password)

    // Nothing is typed or pressed: the authenticator takes what the field offers.
    await page.context().clearCookies()
    await page.goto(`/sign-in?next=${profile}`)
    await page.waitForURL(site + profile)
    await passkeys.getByRole('button', { name: /^Remove the passkey/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expect(passkeys.getByText('A passkey signs you in')).toBeVisible()

    // One that opens nothing any more leaves the form as it is.
    await page.context().clearCookies()
    await page.goto(`/sign-in?next=${profile}`)
    await expect(page.getByText('This passkey opens no account here.').first()).toBeVisible()
    await field.fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.waitForURL(site + profile)
  },
)
