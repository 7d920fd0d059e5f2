import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JobError } from '#core/job.ts'
import { startSmtpServer } from '#test/support/services/smtp-server.ts'
import { openMail } from './smtp.ts'

const EMAIL = {
  id: 'job_1@docket.example.com',
  to: 'ada@example.com',
  subject: 'Grüße',
  text: 'https://docket.example.com/x',
}

type Server = Awaited<ReturnType<typeof startSmtpServer>>

async function withMail(
  options: Parameters<typeof startSmtpServer>[0],
  work: (server: Server, send: (to?: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const server = await startSmtpServer(options)
  const mail = openMail({ url: server.url, from: 'Docket <docket@example.com>' })
  await work(server, (to = EMAIL.to) => mail.send({ ...EMAIL, to }))
  await mail.close()
  await server.close()
}

const rejectedWith = (isPermanent: boolean, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof JobError)
  assert.deepEqual(error.isPermanent, isPermanent, error.message)
  assert.match(error.message, message)
  assert.doesNotMatch(`${error.message} ${JSON.stringify(error.details)}`, /https|ada/)
  return true
}

test('sends an email to one address from the configured sender', () =>
  withMail({}, async (server, send) => {
    await send()
    const received = await server.next()
    assert.deepEqual(received.to, ['ada@example.com'])
    assert.equal(received.from, 'docket@example.com')
    assert.match(received.text, /^From: Docket <docket@example\.com>$/m)
    assert.match(received.text, /Message-ID: <job_1@docket\.example\.com>$/m)
    assert.match(received.text, /https:\/\/docket\.example\.com\/x/)
    await assert.rejects(send('eve@example.com,ada@example.com'), JobError)
    await send('grace@example.com')
    assert.deepEqual((await server.next()).to, ['grace@example.com'])
  }))

test('the refusal of a recipient is permanent', () =>
  withMail({}, async (server, send) => {
    server.rejectRecipient(EMAIL.to)
    await assert.rejects(send(), rejectedWith(true, /answered: 550 5\.1\.1/))
    server.refuse(1)
    await assert.rejects(send('grace@example.com'), rejectedWith(false, /answered: 450/))
  }))

test('a refused sign-in or greeting, or no server, is not permanent', async () => {
  await withMail({ password: 'secret' }, async (server, send) => {
    server.changePassword('rotated')
    await assert.rejects(send(), rejectedWith(false, /answered: 535 5\.7\.8/))
    server.refuseConnections(true)
    await assert.rejects(send(), rejectedWith(false, /answered: 554/))
  })
  const mail = openMail({ url: 'smtp://127.0.0.1:1', from: 'docket@example.com' })
  await assert.rejects(mail.send(EMAIL), rejectedWith(false, /could not be reached/))
  await mail.close()
})
