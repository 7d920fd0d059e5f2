import assert from 'node:assert/strict'
import { applicationMessages as buttonLabels } from '../../../web/src/messages/settings/applications.ts'
import { browserTest } from '../support/browser-test.ts'
import { checkScreens, SCREEN_HALVES } from '../support/screens/check-screens.ts'
import { findClippedTexts } from '../support/screens/clipped-texts.ts'

for (const half of SCREEN_HALVES) {
  browserTest(
    `every screen is accessible and clips no text: English, ${half + 1} of 2`,
    (fixture) => checkScreens(fixture, half, { locale: 'en', buttonLabels, axeOptions: {} }),
  )
}

browserTest('control: finds a text that is clipped', async ({ visitor, allow }) => {
  allow(401)
  const page = await visitor()
  await page.goto('/sign-in')
  const button = page.getByRole('button', { name: 'Sign in' })
  await button.waitFor()
  assert.deepEqual(await findClippedTexts(page), [])
  await button.evaluate((one) => {
    one.style.cssText = 'inline-size: 30px; min-inline-size: 0; white-space: nowrap; padding: 0'
  })
  assert.match(String(await findClippedTexts(page)), /^BUTTON.*“Sign in”: \d+ px$/)
})
