import assert from 'node:assert/strict'
import { after } from 'node:test'
import { docket as command } from '../cli/run.ts'
import { CLIENT, companyProvider } from '../support/company.ts'
import { SECRET } from '../support/process.ts'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { signIn } from './support/seed.ts'

const company = await companyProvider()
after(() => company.close())
const env = {
  DOCKET_OIDC_ISSUER: company.issuer,
  DOCKET_OIDC_CLIENT_ID: CLIENT.id,
  DOCKET_OIDC_CLIENT_SECRET: CLIENT.secret,
  DOCKET_OIDC_NAME: 'Acme',
}
const foreign = new RegExp(`^foreign request: ${company.issuer}`)

browse(
  'who links the account in the profile signs in by the company, and goes on',
  { env },
  async (scene) => {
    const { visitor, team, allow, docket } = scene
    allow(401, 403, 409, foreign)
    const { member } = team.people
    company.become({ sub: `s-${member.id}`, email: member.email, email_verified: true, name: 'M' })
    const stranger = await visitor()
    await stranger.goto(`/sign-in?next=/w/${team.workspace}/projects`)
    const go = stranger.getByRole('button', { name: 'Continue with Acme' })
    await expect(go).toBeVisible()
    await accessible(stranger)
    await go.click()
    await expect(stranger.getByText('There is an account with this address')).toBeVisible()
    assert.equal(new URL(stranger.url()).search, '')
    await accessible(stranger)

    const page = await visitor()
    await signIn(page, member)
    await page.goto(`/w/${team.workspace}/settings/profile`)
    const link = page.getByRole('region', { name: 'Acme' })
    await link.getByRole('button', { name: 'Link' }).click()
    await link.getByLabel('Password').fill(member.password)
    await page.keyboard.press('Enter')
    await expect(link.getByText(`You sign in there as ${member.email}`)).toBeVisible()
    await accessible(page)

    await stranger.goto(`/sign-in?next=/w/${team.workspace}/projects`)
    await go.click()
    await stranger.waitForURL(`${docket.url}/w/${team.workspace}/projects`)

    // Over a page whose session has ended another tab signs in.
    await expect(stranger.getByRole('link', { name: 'My work' }).first()).toBeVisible()
    await stranger.context().clearCookies()
    await stranger.getByRole('link', { name: 'My work' }).first().click()
    const over = stranger.getByRole('dialog', { name: 'Your session has ended' })
    const opened = stranger.context().waitForEvent('page')
    await over.getByRole('link', { name: 'Continue with Acme, in another tab' }).click()
    const tab = await opened
    await tab.getByRole('button', { name: 'Continue with Acme' }).click()
    await tab.waitForURL(`**/w/${team.workspace}/my`)
    await expect(over).toBeHidden()
  },
)

browse(
  'where the company is the only way in, an operator still lets somebody in',
  { env: { ...env, DOCKET_OIDC_ONLY: '1' } },
  async (scene) => {
    const { visitor, team, docket, allow } = scene
    allow(403, 404, foreign)
    const page = await visitor()
    await page.goto('/sign-in')
    await expect(page.getByRole('button', { name: 'Continue with Acme' })).toBeVisible()
    await expect(page.getByLabel('Password')).toHaveCount(0)
    await accessible(page)
    const { email } = team.people.owner
    const place = {
      DOCKET_DATA_DIR: docket.dataDir,
      DOCKET_SECRET: SECRET,
      DOCKET_BASE_URL: docket.url,
    }
    const { stdout } = await command(place, 'user', 'sign-in-link', '--email', email, '--json')
    const { sign_in_url } = JSON.parse(stdout)
    await page.goto('about:blank')
    await page.goto(sign_in_url)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`**/w/${team.workspace}/my`)
    await page.goto(`/w/${team.workspace}/settings/profile`)
    await expect(page.getByRole('region', { name: 'Acme' })).toBeVisible()
    await expect(page.getByLabel('New password')).toHaveCount(0)
    const again = await visitor()
    await again.goto(sign_in_url)
    await again.getByRole('button', { name: 'Sign in' }).click()
    await expect(again.getByText('This link was used, or its 15 minutes are over.')).toBeVisible()
  },
)
