import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest } from '../support/browser-test.ts'
import { closeCopiedSecret } from '../support/close-secret.ts'
import { expect } from '../support/expect.ts'
import { openScreen } from '../support/open-screen.ts'
import { refuseRequest, routeRequests } from '../support/route-requests.ts'
import { signInByForm } from '../support/seed.ts'

const FACTOR = 'section[aria-label="Two-factor authentication"]'

browserTest(
  'sign-in with a second factor accepts one-time codes and recovery codes',
  async (fixture) => {
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
  },
)
