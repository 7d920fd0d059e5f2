import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

interface Heard {
  body: string
  signature: string
  previous: string | undefined
}

/** A receiver that answers as it is told; what it heard. */
async function sink() {
  const heard: Heard[] = []
  const answer = { status: 200 }
  const server = createServer((request, reply) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { headers } = request
      heard.push({
        body: Buffer.concat(parts).toString(),
        signature: String(headers['x-service-signature']),
        previous: headers['x-service-signature-previous']?.toString(),
      })
      reply.writeHead(answer.status, { 'content-type': 'text/html' })
      reply.end('<b id="evil">thanks</b>')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It holds up nobody: also where a test has failed, the process ends with its last test.
  server.unref().on('connection', (socket) => socket.unref())
  const { port } = server.address() as AddressInfo
  return { heard, answer, url: `http://127.0.0.1:${port}/docket` }
}

const signed = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

// What fails is not sent again by itself while a test looks at it.
const WANTED = { env: { DOCKET_WEBHOOK_RETRY_SECONDS: '3600' } }

const CLIPBOARD: BrowserContextOptions = { permissions: ['clipboard-read', 'clipboard-write'] }
const clipboardOf = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

const deliveriesIn = (page: Page) => page.getByRole('region', { name: 'Deliveries' })

/** Creates a webhook for an address on its screen; its secret. */
async function createWebhook(page: Page, url: string): Promise<string> {
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  const form = page.getByRole('dialog', { name: 'New webhook' })
  await form.getByLabel('Address').fill(url)
  await form.getByRole('button', { name: 'Create webhook' }).click()
  return copySecret(page)
}

async function copySecret(page: Page): Promise<string> {
  const secret = (await page.locator('.secret code').textContent()) ?? ''
  await page.getByRole('button', { name: 'Copy secret' }).click()
  await expect.poll(() => clipboardOf(page)).toBe(secret)
  await expect(page.getByText('Leaving without copying')).toBeHidden()
  await page.getByRole('button', { name: 'Done' }).click()
  return secret
}

/** The screen of webhooks with one that leads to a receiver. */
async function openWebhook({ as, team, allow }: Scene) {
  // Its log may be read once more while the webhook goes.
  allow(404)
  const receiver = await sink()
  const page = await as('admin', CLIPBOARD)
  await page.goto(`/w/${team.workspace}/settings/webhooks`)
  const secret = await createWebhook(page, receiver.url)
  return { page, secret, ...receiver }
}

browse('creates a webhook after its address was refused, and deletes it', WANTED, async (scene) => {
  const { as, team, allow } = scene
  allow(422, 404)
  const { url } = await sink()
  const page = await as('admin', CLIPBOARD)
  await page.goto(`/w/${team.workspace}/settings/webhooks`)
  await expect(page.getByText('No address is told of events yet.')).toBeVisible()
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  const form = page.getByRole('dialog', { name: 'New webhook' })
  await form.getByLabel('Address').fill('http://10.0.0.1/hook')
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await expect(form.getByLabel('Address')).toBeFocused()
  await expect(form.getByLabel('Address')).toHaveAttribute('aria-invalid', 'true')
  await accessible(page)
  await form.getByLabel('Address').fill(url)
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await copySecret(page)

  await page.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await expect(page.getByText('disabled: by hand')).toBeVisible()
  await page.getByRole('button', { name: 'Enable' }).click()
  await expect(page.getByRole('row', { name: /active/ })).toBeVisible()
  await page.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No address is told of events yet.')).toBeVisible()
})

browse('shows a failed delivery without a reload, and redelivers it', WANTED, async (scene) => {
  const { page, answer, url } = await openWebhook(scene)
  answer.status = 503
  const [task] = await seedTasks(scene, 1, () => ({ title: 'Build the switcher' }))
  const row = page.getByRole('row', { name: /task\.created/ }).first()
  await expect(row).toContainText(`${task?.short_id} Build the switcher`)
  await expect(row).toContainText('503')
  await expect(page.getByText('failing')).toBeVisible()
  await row.getByRole('button').click()
  await expect(page.getByRole('region', { name: 'Request' })).toContainText('X-Service-Event')
  await expect(page.getByRole('region', { name: 'Response' })).toContainText('<b id="evil">')
  await expect(page.locator('#evil')).toHaveCount(0)
  await accessible(page)
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await expect.poll(async () => (await clipboardOf(page)).startsWith(`curl '${url}'`)).toBe(true)

  answer.status = 200
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await expect(page.getByRole('row', { name: /task\.created/ })).toHaveCount(2)
  await page.getByLabel('Status', { exact: true }).selectOption('succeeded')
  await expect(page.getByRole('row', { name: /task\.created/ })).toHaveCount(1)
})

browse('signs a test with the secret, and with both after a rotation', WANTED, async (scene) => {
  const { page, heard, secret: first } = await openWebhook(scene)
  const answered = deliveriesIn(page).getByText(/The test was answered 200/)
  await page.getByRole('button', { name: 'Send test' }).click()
  await expect(answered).toBeVisible()
  assert.equal(heard[0]?.signature, signed(first, heard[0]?.body ?? ''))

  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  const second = await copySecret(page)
  assert.notEqual(second, first)
  await expect(page.getByText(/The old secret signs too, for/)).toBeVisible()
  await page.getByRole('button', { name: 'Send test' }).click()
  await expect.poll(() => heard.length).toBe(2)
  const last = heard[1]
  assert.equal(last?.signature, signed(second, last?.body ?? ''))
  assert.equal(last?.previous, signed(first, last?.body ?? ''))
})

browse('replays the events of the last day to a webhook', WANTED, async (scene) => {
  const { page, heard } = await openWebhook(scene)
  await seedTasks(scene, 1)
  await expect.poll(() => heard.length).toBe(1)
  await page.getByRole('button', { name: 'Replay from…' }).click()
  await page.getByLabel('From', { exact: true }).selectOption('day')
  await expect(page.getByText(/\d+ events? would be sent\./)).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
  await expect.poll(() => heard.length).toBeGreaterThan(1)
})
