import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Page } from '@playwright/test'
import { DELIVERY_RULES } from '#webhooks/results.ts'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { closeCopiedSecret } from '../support/page-actions.ts'
import { loseNextReply } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

interface RecordedDelivery {
  body: string
  signature: string
  previous: string | undefined
}

/** Starts a receiver that answers with a status, and records the deliveries. */
async function startReceiver() {
  const deliveries: RecordedDelivery[] = []
  const response = { status: 200 }
  const server = createServer((request, reply) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { headers } = request
      deliveries.push({
        body: Buffer.concat(parts).toString(),
        signature: String(headers['x-service-signature']),
        previous: headers['x-service-signature-previous']?.toString(),
      })
      reply.writeHead(response.status, { 'content-type': 'text/html' })
      reply.end('<b id="evil">thanks</b>')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It must not keep the process alive after the last test, also if one failed.
  server.unref().on('connection', (socket) => socket.unref())
  const { port } = server.address() as AddressInfo
  return { deliveries, response, url: `http://127.0.0.1:${port}/docket` }
}

const signatureOf = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

// Failed deliveries are not retried while a test looks at them.
const NO_RETRIES = { options: { rules: { ...DELIVERY_RULES, retrySeconds: [3_600] } } }

const CLIPBOARD: BrowserContextOptions = { permissions: ['clipboard-read', 'clipboard-write'] }
const clipboardOf = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

const deliveriesIn = (page: Page) => page.getByRole('region', { name: 'Deliveries' })

/** Creates a webhook on its screen and returns its secret. */
async function createWebhook(page: Page, url: string): Promise<string> {
  await page.getByRole('button', { name: 'New webhook' }).click()
  const form = page.getByRole('dialog', { name: 'New webhook' })
  await form.getByLabel('URL').fill(url)
  await form.getByRole('button', { name: 'Create webhook' }).click()
  return copySecret(page)
}

async function copySecret(page: Page): Promise<string> {
  const secret = (await page.locator('.secret code').textContent()) ?? ''
  await page.getByRole('button', { name: 'Copy secret' }).click()
  await expect.poll(() => clipboardOf(page)).toBe(secret)
  await closeCopiedSecret(page)
  // The focus goes on to the new webhook, below its secret.
  await expect(page.locator('.hooks :focus')).toBeVisible()
  return secret
}

/** Opens the webhooks screen with one webhook that sends to a receiver. */
async function openWebhook({ openAs, allow }: BrowserFixture) {
  // The deliveries may be requested once more while the webhook is being deleted.
  allow(404, /ERR_CONNECTION_RESET/)
  const receiver = await startReceiver()
  const page = await openAs('admin', 'settings/webhooks', CLIPBOARD)
  const secret = await createWebhook(page, receiver.url)
  return { page, secret, ...receiver }
}

browserTest('creates, disables and deletes a webhook', NO_RETRIES, async (fixture) => {
  const { openAs, allow } = fixture
  allow(422, 404, /ERR_CONNECTION_RESET/)
  const { url } = await startReceiver()
  const page = await openAs('admin', 'settings/webhooks', CLIPBOARD)
  await expect(page.getByText('No webhooks yet.')).toBeVisible()
  await page.getByRole('button', { name: 'New webhook' }).click()
  const form = page.getByRole('dialog', { name: 'New webhook' })
  await form.getByLabel('URL').fill('http://10.0.0.1/hook')
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await expect(form.getByLabel('URL')).toBeFocused()
  await expect(form.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true')
  await assertAccessible(page, { within: OPEN_DIALOG })
  await form.getByLabel('URL').fill(url)
  // It is created once, also if the first reply is lost.
  await loseNextReply(page, '**/api/v1/webhooks')
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await expect(form.getByText('Docket is not responding.')).toBeVisible()
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await copySecret(page)

  await page.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await expect(page.getByText('disabled: by a user')).toBeVisible()
  await page.getByRole('button', { name: 'Enable' }).click()
  await expect(page.getByRole('row', { name: /active/ })).toBeVisible()

  await page.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Description').fill('Builds')
  const saving = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  assert.deepEqual((await saving).postDataJSON(), { description: 'Builds' })
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No webhooks yet.')).toBeVisible()
})

browserTest('shows a failed delivery live, and redelivers it', NO_RETRIES, async (fixture) => {
  const { page, response, url } = await openWebhook(fixture)
  response.status = 503
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'Build the switcher' }))
  const row = page.getByRole('row', { name: /task\.created/ }).first()
  await expect(row).toContainText(`${task?.short_id} Build the switcher`)
  await expect(row).toContainText('503')
  await expect(page.getByText('failing')).toBeVisible()
  await row.getByRole('button').click()
  await expect(page.getByRole('region', { name: 'Request' })).toContainText('X-Service-Event')
  await expect(page.getByRole('region', { name: 'Response' })).toContainText('<b id="evil">')
  await expect(page.locator('#evil')).toHaveCount(0)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await expect.poll(async () => (await clipboardOf(page)).startsWith(`curl '${url}'`)).toBe(true)

  response.status = 200
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await expect(page.getByText('Queued for redelivery')).toBeVisible()
  await expect(page.getByRole('row', { name: /task\.created/ })).toHaveCount(2)
  await page.getByLabel('Status', { exact: true }).selectOption('succeeded')
  await expect(page.getByRole('row', { name: /task\.created/ })).toHaveCount(1)
})

browserTest('signs, also after a rotation, and replays events', NO_RETRIES, async (fixture) => {
  const { page, deliveries, secret: first } = await openWebhook(fixture)
  await seedTasks(fixture, 1)
  await expect.poll(() => deliveries.length).toBe(1)
  const answered = deliveriesIn(page).getByText(/Test succeeded: 200/)
  await page.getByRole('button', { name: 'Send test' }).click()
  await expect(answered).toBeVisible()
  assert.equal(deliveries.length, 2)
  for (const { signature, body } of deliveries) assert.equal(signature, signatureOf(first, body))

  await page.getByRole('button', { name: 'Rotate secret' }).click()
  // The secret is rotated once, also if the first reply is lost.
  await loseNextReply(page, '**/rotate-secret')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  await expect(dialog.getByText('Docket is not responding.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  const rotate = deliveriesIn(page).getByRole('button', { name: 'Rotate secret' })
  await expect(rotate).toHaveAttribute('title', 'Copy the secret first.')
  const second = await copySecret(page)
  assert.notEqual(second, first)
  await expect(page.getByText(/The old secret also works for/)).toBeVisible()
  await page.getByRole('button', { name: 'Send test' }).click()
  await expect.poll(() => deliveries.length).toBe(3)
  const last = deliveries[2]
  assert.equal(last?.signature, signatureOf(second, last?.body ?? ''))
  assert.equal(last?.previous, signatureOf(first, last?.body ?? ''))

  await page.getByRole('button', { name: 'Replay events …' }).click()
  await page.getByLabel('From', { exact: true }).selectOption('day')
  await expect(page.getByText(/\d+ events? will be sent again\./)).toBeVisible()
  const replaying = page.getByRole('dialog')
  await replaying.getByRole('button', { name: 'Replay events' }).click()
  await expect.poll(() => deliveries.length).toBeGreaterThan(3)
})
