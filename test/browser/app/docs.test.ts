import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { removeRepeatedSections } from '../support/reference-sections.ts'
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

/** What people type, and the address that they look for. */
const QUERIES = {
  'replay events': '/docs#op-replayEvents',
  'how to create a task': '/docs#op-createTask',
  completeTask: '/docs#op-completeTask',
  '/tasks/bulk': '/docs#op-bulkTasks',
  'POST /api/v1/tasks': '/docs#op-createTask',
  BulkTaskUpdate: '/docs#op-bulkTasks',
  due_at: '/docs#record-task',
  version_mismatch: '/docs/errors#version_mismatch',
  pagination: '/docs/guides/lists#page-through-a-list',
  429: '/docs/guides/rate-limits#when-you-exceed-the-limit',
  'if-match': '/docs/guides/idempotency#do-not-overwrite-others',
  'webhook signature': '/docs/guides/verify-webhooks',
}

browserTest('the docs are searched by keyboard alone, the best hit first', async ({ visitor }) => {
  const page = await visitor()
  await page.goto('/docs/guides/quickstart')
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox', { name: 'Search the docs' })
  const first = page.locator('#docs-results a').first()
  await expect(search).toBeFocused()
  await page.keyboard.type('rotate secret')
  await expect(first).toHaveAttribute('href', '/docs#op-rotateWebhookSecret')
  const otherGuide = page.getByRole('navigation').getByRole('link', { name: 'Permissions' })
  await expect(otherGuide).toHaveCount(0)
  await page.keyboard.press('ArrowDown')
  await expect(first).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(search).toBeFocused()
  for (const [query, href] of Object.entries(QUERIES)) {
    await search.fill('')
    await expect(first).toHaveCount(0)
    await search.fill(query)
    await expect(first, query).toHaveAttribute('href', href)
  }
  await search.fill('no such words')
  await page.getByText('No results.').waitFor()
  await search.fill('version_mismatch')
  await page.getByRole('link', { name: 'version_mismatch' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/errors#version_mismatch')
  await page.goto('/docs/guides/webhooks')
  await routeRequests(page, '**/docs/search.json', (route) => route.fulfill({ body: 'not JSON' }))
  await search.fill('retries')
  await page.getByText('The search is not available.').waitFor()
  await page.getByRole('link', { name: 'Authentication', exact: true }).waitFor()
})

browserTest('the start page and the docs work without JavaScript', async ({ visitor }) => {
  const page = await visitor({ javaScriptEnabled: false })
  await page.goto('/')
  await page.getByRole('heading', { name: 'Numbered work, an honest API.' }).waitFor()
  const done = page.getByText('Your script would have sent')
  await expect(done).toBeHidden()
  await page.getByRole('checkbox', { name: 'Complete this slip' }).press('Space')
  await expect(done).toBeVisible()

  await page.goto('/docs')
  // Of the samples the first is open.
  const operation = page.locator('#op-getTask')
  await operation.getByText('-H "Authorization').waitFor()
  await expect(operation.getByText('new Docket(')).toBeHidden()
  await operation.getByText('docket-client', { exact: true }).click()
  await operation.getByText('new Docket(').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Quickstart' }).click()
  await page.getByRole('heading', { level: 1, name: 'Quickstart' }).waitFor()
  await page.getByRole('link', { name: 'Next Authentication' }).click()
  await page.waitForURL('**/docs/guides/authentication')
})

browserTest('the start page and the docs fit a phone and are accessible', async ({ visitor }) => {
  const page = await visitor(NARROW)
  for (const path of [
    '/',
    '/docs',
    '/docs/guides/permissions',
    '/docs/guides/event-types',
    '/status',
  ]) {
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
  await page.goto('/')
  await page.getByLabel('Body').fill('{"title": "Grüße ✓"}')
  await page.getByLabel('Secret').fill('whsec_another')
  const signature = createHmac('sha256', 'whsec_another')
    .update('{"title": "Grüße ✓"}')
    .digest('hex')
  await page.getByText(signature).waitFor()
})
