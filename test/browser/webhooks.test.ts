import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { expect } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
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
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { heard, answer, url: `http://127.0.0.1:${port}/docket` }
}

const signed = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

browse('a webhook is made, tested, watched, sent again and given a new secret', async (scene) => {
  const { as, team, ask, allow } = scene
  // Its log may be read once more while the webhook goes.
  allow(422, 404)
  const { heard, answer, url } = await sink()
  const page = await as('admin', { permissions: ['clipboard-read', 'clipboard-write'] })
  const log = page.getByRole('region', { name: 'Deliveries' })
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
  await page.getByRole('button', { name: 'Copy secret' }).click()
  const first = await page.evaluate(() => navigator.clipboard.readText())
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'Send test' }).click()
  await expect(log.getByText(/The test was answered 200/)).toBeVisible()
  assert.equal(heard[0]?.signature, signed(first, heard[0]?.body ?? ''))

  // What fails shows by itself, without a reload.
  answer.status = 503
  const [task] = await seedTasks({ ask, team }, 1, () => ({ title: 'Build the switcher' }))
  const row = page.getByRole('row', { name: /task\.created/ }).first()
  await expect(row).toContainText(`${task?.short_id} Build the switcher`)
  await expect(row).toContainText('503')
  await expect(page.getByText('failing')).toBeVisible()
  await row.getByRole('button').click()
  await expect(page.getByRole('region', { name: 'Request' })).toContainText('X-Service-Event')
  await expect(page.getByRole('region', { name: 'Response' })).toContainText('<b id="evil">')
  assert.equal(await page.locator('#evil').count(), 0)
  await accessible(page)
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  assert.ok(command.startsWith(`curl '${url}'`), command)

  answer.status = 200
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await expect(page.getByRole('row', { name: /task\.created/ })).toHaveCount(2)
  await page.getByLabel('Status', { exact: true }).selectOption('succeeded')
  await expect(page.getByRole('row', { name: /task\.created/ })).toHaveCount(1)

  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('button', { name: 'Copy secret' }).click()
  const second = await page.evaluate(() => navigator.clipboard.readText())
  assert.notEqual(second, first)
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText(/The old secret signs too, for/)).toBeVisible()
  await page.getByRole('button', { name: 'Send test' }).click()
  await expect(log.getByText(/The test was answered 200/)).toBeVisible()
  const last = heard.at(-1)
  assert.equal(last?.signature, signed(second, last?.body ?? ''))
  assert.equal(last?.previous, signed(first, last?.body ?? ''))

  await page.getByRole('button', { name: 'Replay from…' }).click()
  await page.getByLabel('From', { exact: true }).selectOption('day')
  await expect(page.getByText(/\d+ events? would be sent\./)).toBeVisible()
  const before = heard.length
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
  await expect.poll(() => heard.length).toBeGreaterThan(before)

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
