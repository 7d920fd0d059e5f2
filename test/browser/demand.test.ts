import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { freePort } from '../support/port.ts'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { signIn } from './support/seed.ts'
import { withAuthenticator } from './support/webauthn.ts'

/** Turns codes on where the page offers it; gives what makes them. */
async function turnOn(page: Page, password: string): Promise<TOTP> {
  const factor = page.getByRole('region', { name: 'Second factor' })
  await factor.getByRole('button', { name: 'Turn on' }).click()
  await factor.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  const secret = (await factor.locator('code').textContent()) ?? ''
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  await factor.getByLabel('Code').fill(totp.generate())
  await page.keyboard.press('Enter')
  await factor.getByRole('button', { name: 'Copy codes' }).click()
  await factor.getByRole('button', { name: 'Done' }).click()
  return totp
}

// Browsers keep passkeys for names alone.
const port = await freePort()
const site = `http://localhost:${port}`

browse(
  'an owner demands a second factor, and members are led to set one up',
  { env: { DOCKET_BASE_URL: site }, port },
  async ({ visitor, team, allow }) => {
    // The page that is left without its cookies looks on until it goes.
    allow(/40[139]/, 401, 403, 409)
    const settings = `/w/${team.workspace}/settings`
    const owner = await visitor({ baseURL: site })
    await owner.context().grantPermissions(['clipboard-write'])
    await signIn(owner, team.people.owner)
    await owner.goto(`${settings}/workspace`)
    const rule = owner.getByRole('region', { name: 'Second factor' })
    await expect(rule.getByText('have none yet')).toBeVisible()
    await rule.getByRole('button', { name: 'Demand of all' }).click()
    await expect(owner.getByText('Set up a second factor of your own first')).toBeVisible()
    await owner.goto(`${settings}/profile`)
    await turnOn(owner, team.people.owner.password)

    const member = await visitor({ baseURL: site })
    await member.context().grantPermissions(['clipboard-write'])
    await signIn(member, team.people.member)
    await member.goto(`/w/${team.workspace}/projects`)
    await expect(member.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()

    await owner.goto(`${settings}/workspace`)
    await rule.getByRole('button', { name: 'Demand of all' }).click()
    await expect(rule.getByText('is led to set one up')).toBeVisible()
    await accessible(owner)

    // The page that is open is led there, and comes back to where it was.
    await member.waitForURL('**/second-factor?next=*')
    await expect(member.getByRole('heading', { name: /demands a second factor$/ })).toBeVisible()
    await accessible(member)
    await turnOn(member, team.people.member.password)
    await member.getByRole('button', { name: 'Go on' }).click()
    await expect(member.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()

    // Who signs in anew comes there too, and a passkey does as well.
    const admin = await visitor({ baseURL: site })
    await withAuthenticator(admin)
    await admin.goto(`/sign-in?next=/w/${team.workspace}/projects`)
    await admin.getByLabel('Email').fill(team.people.admin.email)
    await admin.getByLabel('Password', { exact: true }).fill(team.people.admin.password)
    await admin.keyboard.press('Enter')
    await admin.waitForURL('**/second-factor?next=*')
    const passkeys = admin.getByRole('region', { name: 'Passkeys' })
    await passkeys.getByRole('button', { name: 'Make a passkey' }).click()
    await passkeys.getByLabel('Password').fill(team.people.admin.password)
    await admin.keyboard.press('Enter')
    await admin.getByRole('button', { name: 'Go on' }).click()
    await expect(admin.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()

    // By the password alone once more: what is there is to be shown.
    await admin.context().clearCookies()
    await admin.goto(`/sign-in?next=/w/${team.workspace}/projects`)
    await admin.getByLabel('Email').fill(team.people.admin.email)
    await admin.getByLabel('Password', { exact: true }).fill(team.people.admin.password)
    await admin.keyboard.press('Enter')
    await admin.getByRole('link', { name: 'Sign in with it' }).click()
    await admin.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await expect(admin.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()
    assert.equal(new URL(admin.url()).pathname, `/w/${team.workspace}/projects`)

    await rule.getByRole('button', { name: 'Demand no more' }).click()
    await expect(rule.getByText('Each person decides')).toBeVisible()
  },
)
