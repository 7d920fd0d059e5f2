import assert from 'node:assert/strict'
import { m as words } from '../../web/src/messages/applications.ts'
import { browse } from './support/browse.ts'
import { clipped } from './support/clipped.ts'
import { eachScreen, HALVES } from './support/each-screen.ts'

for (const half of HALVES) {
  browse(
    `every screen is accessible, and its texts have room: English, ${half + 1} of 2`,
    (scene) => eachScreen(scene, half, { locale: 'en', words, look: {} }),
  )
}

browse('a text without room is found', async ({ visitor, allow }) => {
  allow(401)
  const page = await visitor()
  await page.goto('/sign-in')
  const button = page.getByRole('button', { name: 'Sign in' })
  await button.waitFor()
  assert.deepEqual(await clipped(page), [])
  await button.evaluate((one) => {
    one.style.cssText = 'inline-size: 30px; min-inline-size: 0; white-space: nowrap; padding: 0'
  })
  assert.match(String(await clipped(page)), /^BUTTON.*“Sign in”: \d+ px$/)
})
