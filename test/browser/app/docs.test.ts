import assert from 'node:assert/strict'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { openOnlyOperations, removeRepeatedSections } from '../support/reference-sections.ts'
import { routeRequests } from '../support/route-requests.ts'

const NARROW = { viewport: { width: 360, height: 740 } }
/** What depends on all sections of a page together. */
const WHOLE_PAGE_RULES = [
  'duplicate-id-aria',
  'heading-order',
  'landmark-unique',
  'page-has-heading-one',
  'skip-link',
]

browserTest('the docs are found and searched by keyboard alone', async ({ visitor }) => {
  const page = await visitor()
  await page.goto('/docs/guides/quickstart')
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox', { name: 'Search the docs' })
  await expect(search).toBeFocused()
  await page.keyboard.type('rotate secret')
  const operation = page.locator('#docs-results a').first()
  await expect(operation).toHaveAttribute('href', '/docs#op-rotateWebhookSecret')
  const otherGuide = page.getByRole('navigation').getByRole('link', { name: 'Permissions' })
  await expect(otherGuide).toHaveCount(0)
  await page.keyboard.press('ArrowDown')
  await expect(operation).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(search).toBeFocused()
  await expect(search).toHaveValue('')
  await page.keyboard.type('version_mismatch')
  await page.getByRole('link', { name: 'version_mismatch' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/errors#version_mismatch')
})

browserTest(
  'the search says when it finds nothing and when it is not available',
  async (fixture) => {
    const page = await fixture.visitor()
    await page.goto('/docs/guides/quickstart')
    const search = page.getByRole('searchbox')
    await search.fill('no such words')
    await page.getByText('No results.').waitFor()
    await page.goto('/docs/guides/webhooks')
    await routeRequests(page, '**/docs/search.json', (route) => route.fulfill({ body: 'not JSON' }))
    await search.fill('retries')
    await page.getByText('The search is not available.').waitFor()
    await page.getByRole('link', { name: 'Authentication', exact: true }).waitFor()
  },
)

browserTest('the docs can be read without JavaScript', async ({ visitor }) => {
  const page = await visitor({ javaScriptEnabled: false })
  await page.goto('/docs')
  // The languages of a sample are a list.
  const operation = page.locator('#op-getTask')
  await operation.getByText('-H "Authorization').waitFor()
  await expect(operation.getByText('package main')).toBeHidden()
  await operation.getByText('Go', { exact: true }).click()
  await operation.getByText('package main').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Quickstart' }).click()
  await page.getByRole('heading', { level: 1, name: 'Quickstart' }).waitFor()
  await page.getByRole('link', { name: 'Next Authentication' }).click()
  await page.waitForURL('**/docs/guides/authentication')
})

browserTest(
  'samples are shown in the language that was chosen, also on the next visit',
  async (fixture) => {
    const page = await fixture.visitor()
    await openOnlyOperations(page, ['getTask', 'getTag'])
    await page.goto('/docs#op-getTask')
    const operation = page.locator('#op-getTask')
    const tab = (name: string) => operation.getByRole('tab', { name })
    await expect(tab('curl')).toHaveAttribute('aria-selected', 'true')
    await tab('curl').focus()
    await page.keyboard.press('ArrowRight')
    await expect(tab('TypeScript')).toBeFocused()
    await page.keyboard.press('End')
    await expect(tab('Go')).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await expect(tab('Python')).toBeFocused()
    await expect(operation.getByRole('tabpanel')).toContainText('urllib.request')
    const other = page.locator('#op-getTag')
    await expect(other.getByRole('tabpanel')).toContainText('urllib.request')
    await page.reload()
    await expect(tab('Python')).toHaveAttribute('aria-selected', 'true')
    await expect(tab('curl')).toHaveAttribute('tabindex', '-1')
  },
)

browserTest('a chosen language stays where the reader has its tab', async ({ visitor }) => {
  const page = await visitor(NARROW)
  await openOnlyOperations(page, ['listWebhooks', 'getWebhook', 'testWebhook', 'listEvents'])
  await page.goto('/docs')
  // As in browsers without scroll anchoring.
  await page.evaluate(() => document.documentElement.style.setProperty('overflow-anchor', 'none'))
  const tab = page.locator('#op-listEvents').getByRole('tab', { name: 'Go' })
  await tab.scrollIntoViewIfNeeded()
  const topOf = () => tab.evaluate((element) => Math.round(element.getBoundingClientRect().top))
  const top = await topOf()
  await tab.click()
  await page.locator('#op-listEvents').getByText('package main').waitFor()
  assert.ok(Math.abs((await topOf()) - top) <= 1)
})

browserTest('a sample is copied as it is shown', async ({ visitor }) => {
  const page = await visitor({ permissions: ['clipboard-read', 'clipboard-write'] })
  await openOnlyOperations(page, ['getMe'])
  await page.goto('/docs')
  const sample = page.locator('#op-getMe').getByRole('tabpanel')
  await sample.hover()
  await sample.getByRole('button', { name: 'Copy: getMe in curl' }).click()
  await sample.getByText('Copied').waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  assert.match(copied, /^curl "\$DOCKET_URL\/api\/v1\/me" \\\n {2}-H /)
})

browserTest('guides fit a phone and are accessible', async ({ visitor }) => {
  const page = await visitor(NARROW)
  for (const path of ['/docs', '/docs/guides/permissions', '/docs/guides/event-types', '/status']) {
    await page.goto(path)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.equal(width, NARROW.viewport.width, path)
    await assertAccessible(page, { themes: ['light'], rules: WHOLE_PAGE_RULES })
    // All other rules find the same in each section.
    await removeRepeatedSections(page)
    await assertAccessible(page)
  }
  await page.goto('/docs/guides/permissions')
  await page.getByRole('button', { name: 'Contents' }).click()
  await page
    .getByRole('navigation', { name: 'Contents' })
    .getByRole('link', { name: 'Roles' })
    .click()
  await page.waitForURL('**#roles')
})
