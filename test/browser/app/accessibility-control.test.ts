import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { TEXT_RULES } from '../support/screens/check-screens.ts'

async function openSignIn({ visitor, allow }: BrowserFixture): Promise<Page> {
  allow(401)
  const page = await visitor()
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  return page
}

browserTest('control: axe finds low contrast that only the dark theme has', async (fixture) => {
  const page = await openSignIn(fixture)
  await assertAccessible(page)
  await page.getByRole('main').evaluate((main) => {
    const text = Object.assign(document.createElement('p'), { textContent: 'Dark grey' })
    document.documentElement.style.colorScheme = 'light dark'
    text.style.color = 'light-dark(#000, #333)'
    main.append(text)
  })
  await assert.rejects(assertAccessible(page), /in dark.*color-contrast/s)
  await assertAccessible(page, { without: ['color-contrast'] })
})

browserTest('control: axe finds a field without a label', async (fixture) => {
  const page = await openSignIn(fixture)
  await page
    .getByRole('heading', { level: 1 })
    .evaluate((heading) => heading.append(document.createElement('input')))
  await assert.rejects(assertAccessible(page), /in light.*label/s)
  await assert.rejects(assertAccessible(page, TEXT_RULES), /in light.*label/s)
})
