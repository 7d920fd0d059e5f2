import assert from 'node:assert/strict'
import { applicationMessages as buttonLabels } from '../../../web/src/messages/settings/applications.ts'
import { browserTest } from '../support/browser-test.ts'
import { checkScreens, SCREEN_HALVES } from '../support/screens/check-screens.ts'
import { findClippedTexts } from '../support/screens/clipped-texts.ts'
import { findSmallTargets } from '../support/screens/small-targets.ts'

for (const half of SCREEN_HALVES) {
  browserTest(
    `every screen is accessible, clips no text and fits a finger: English, ${half + 1} of 2`,
    (fixture) =>
      checkScreens(fixture, half, { locale: 'en', buttonLabels, axeOptions: {}, hasTargets: true }),
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

browserTest('control: finds a target that a finger misses', async ({ visitor, allow }) => {
  allow(401)
  const page = await visitor({ viewport: { width: 360, height: 740 }, hasTouch: true })
  await page.goto('/sign-in')
  const button = page.getByRole('button', { name: 'Sign in' })
  await button.waitFor()
  assert.deepEqual(await findSmallTargets(page), [])
  await button.evaluate((one) => {
    one.style.cssText = 'min-block-size: 0; block-size: 20px'
  })
  assert.match(String(await findSmallTargets(page)), /“Sign in”: touched \d+, drawn \d+ × 20$/)
})
