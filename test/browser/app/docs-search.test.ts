import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'

/** What people type, and the address that they look for. */
const QUERIES = {
  'rotate secret': '/docs#op-rotateWebhookSecret',
  redeliver: '/docs#op-redeliver',
  'replay events': '/docs#op-replayEvents',
  'bulk update': '/docs#op-bulkTasks',
  'upload file': '/docs#op-uploadAttachment',
  'how to create a task': '/docs#op-createTask',
  'start timer': '/docs#op-createTimeEntry',
  completeTask: '/docs#op-completeTask',
  '/tasks/bulk': '/docs#op-bulkTasks',
  'POST /api/v1/tasks': '/docs#op-createTask',
  TaskCreate: '/docs#op-createTask',
  BulkTaskUpdate: '/docs#op-bulkTasks',
  Task: '/docs#record-task',
  due_at: '/docs#record-task',
  version_mismatch: '/docs/errors#version_mismatch',
  not_nullable: '/docs/errors#not_nullable',
  pagination: '/docs/guides/lists#page-through-a-list',
  cursor: '/docs/guides/lists#page-through-a-list',
  'rate limit': '/docs/guides/rate-limits',
  429: '/docs/guides/rate-limits#when-you-exceed-the-limit',
  idempotency: '/docs/guides/idempotency',
  'if-match': '/docs/guides/idempotency#do-not-overwrite-others',
  'webhook signature': '/docs/guides/verify-webhooks',
  'dry run': '/docs/guides/requests#dry-run',
  'api key': '/docs/guides/authentication',
  cors: '/docs/guides/browsers',
}

browserTest('the search finds first what people look for', async ({ visitor }) => {
  const page = await visitor()
  await page.goto('/docs/guides/quickstart')
  const search = page.getByRole('searchbox')
  const first = page.locator('#docs-results a').first()
  for (const [query, href] of Object.entries(QUERIES)) {
    await search.fill('')
    await expect(first).toHaveCount(0)
    await search.fill(query)
    await expect(first, query).toHaveAttribute('href', href)
  }
})
