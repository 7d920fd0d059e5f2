import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { signIn } from './support/seed.ts'

browse('a second factor is turned on, asked for, and its loss survived', async (scene) => {
  const { visitor, team, docket, allow } = scene
  allow(401)
  allow(422)
  const { email, password } = team.people.member
  const page = await visitor()
  await page.context().grantPermissions(['clipboard-write'])
  await signIn(page, team.people.member)
  await page.goto(`/w/${team.workspace}/settings/profile`)
  const factor = page.getByRole('region', { name: 'Second factor' })
  await factor.getByRole('button', { name: 'Turn on' }).click()
  await expect(factor.getByLabel('Password')).toBeFocused()
  await factor.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await expect(factor.getByRole('img', { name: 'The key, as an image to scan' })).toBeVisible()
  await accessible(page)
  const secret = (await factor.locator('code').textContent()) ?? ''
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  await factor.getByLabel('Code').fill('000000')
  await page.keyboard.press('Enter')
  await expect(factor.getByText('is not of this secret')).toBeVisible()
  const code = totp.generate()
  await factor.getByLabel('Code').fill(code)
  await page.keyboard.press('Enter')
  const copy = factor.getByRole('button', { name: 'Copy codes' })
  await expect(copy).toBeFocused()
  const [first = '', second = ''] = ((await factor.locator('code').textContent()) ?? '').split(
    /\s+/,
  )
  assert.match(first, /^\w{4}-\w{4}-\w{4}-\w{4}$/)
  await accessible(page)
  await copy.click()
  await factor.getByRole('button', { name: 'Done' }).click()
  await expect(factor.getByText('10 recovery codes are left.')).toBeVisible()

  const other = await visitor()
  await other.goto(`/sign-in?next=/w/${team.workspace}/projects`)
  await other.getByLabel('Email').fill(email)
  await other.getByLabel('Password', { exact: true }).fill(password)
  await other.keyboard.press('Enter')
  await expect(other.getByLabel('Code')).toBeFocused()
  await accessible(other)
  // The code that turned it on was used.
  await other.getByLabel('Code').fill(code)
  await other.keyboard.press('Enter')
  await expect(other.getByText('This code is not right, or was used before.')).toBeVisible()
  await other.getByLabel('Code').fill(first)
  await other.keyboard.press('Enter')
  await other.waitForURL(`${docket.url}/w/${team.workspace}/projects`)
  await expect(other.getByRole('link', { name: 'My work' }).first()).toBeVisible()

  // Over a page whose session has ended it is asked for, too.
  await page.context().clearCookies()
  await page.reload()
  await page.waitForURL('**/sign-in?**')
  await page.goto('about:blank')
  await other.context().clearCookies()
  await other.getByRole('link', { name: 'My work' }).first().click()
  const over = other.getByRole('dialog', { name: 'Your session has ended' })
  await over.getByLabel('Password').fill(password)
  await other.keyboard.press('Enter')
  await over.getByLabel('Code').fill(second)
  await other.keyboard.press('Enter')
  await expect(over).toBeHidden()
})
