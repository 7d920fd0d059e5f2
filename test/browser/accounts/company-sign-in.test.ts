import assert from 'node:assert/strict'
import { after } from 'node:test'
import { OIDC_CLIENT, startOidcProvider } from '../../support/services/oidc-provider.ts'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { openScreen } from '../support/page-actions.ts'
import { signInByForm } from '../support/seed.ts'

const company = await startOidcProvider()
after(() => company.close())
const { host } = new URL(company.issuer)
const OIDC_ENV = {
  DOCKET_OIDC_ISSUER: company.issuer,
  DOCKET_OIDC_CLIENT_ID: OIDC_CLIENT.id,
  DOCKET_OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
}
const PROVIDER_REQUESTS = new RegExp(`^foreign request: ${company.issuer}`)

browserTest(
  'signs in by OpenID Connect after the account was linked in the profile',
  { env: OIDC_ENV },
  async (fixture) => {
    const { visitor, team, allow, docket } = fixture
    allow(401, 403, 409, PROVIDER_REQUESTS)
    const { member } = team.people
    company.become({ sub: `s-${member.id}`, email: member.email, email_verified: true, name: 'M' })
    const stranger = await visitor()
    await stranger.goto(`/sign-in?next=/w/${team.workspace}/projects`)
    const continueButton = stranger.getByRole('button', { name: `Continue with ${host}` })
    await expect(continueButton).toBeVisible()
    await continueButton.click()
    await expect(
      stranger.getByText('An account with this email address already exists'),
    ).toBeVisible()
    assert.equal(new URL(stranger.url()).search, '')
    await assertAccessible(stranger)

    const page = await visitor()
    await signInByForm(page, member)
    await openScreen(page, `/w/${team.workspace}/settings/profile`)
    const link = page.getByRole('region', { name: host })
    await link.getByRole('button', { name: 'Link' }).click()
    await link.getByLabel('Password').fill(member.password)
    await page.keyboard.press('Enter')
    await expect(link.getByText(`Linked to ${member.email}`)).toBeVisible()
    await assertAccessible(page)

    await stranger.goto(`/sign-in?next=/w/${team.workspace}/projects`)
    await continueButton.click()
    await stranger.waitForURL(`${docket.url}/w/${team.workspace}/projects`)

    // When the session has ended, another tab signs in.
    await expect(stranger.getByRole('link', { name: 'My work' }).first()).toBeVisible()
    await stranger.context().clearCookies()
    await openScreen(stranger, `/w/${team.workspace}/my`)
    const sessionDialog = stranger.getByRole('dialog', { name: 'Your session has ended' })
    const opened = stranger.context().waitForEvent('page')
    await sessionDialog.getByRole('link', { name: `Continue with ${host}, in another tab` }).click()
    const tab = await opened
    await tab.getByRole('button', { name: `Continue with ${host}` }).click()
    await tab.waitForURL(`**/w/${team.workspace}/my`)
    await expect(sessionDialog).toBeHidden()
  },
)
