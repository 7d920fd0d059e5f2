import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { mailServer } from '#test/support/mail.ts'
import { openMail } from './open.ts'

const LETTER = { to: 'ada@example.com', subject: 'Grüße', text: 'https://docket.example.com/x' }

test('a letter goes to one person, from whom the operator named', async () => {
  const server = await mailServer()
  const mail = openMail({ url: server.url, from: 'Docket <docket@example.com>' }, silent())
  mail.send(LETTER)
  const got = await server.next()
  assert.deepEqual(got.to, ['ada@example.com'])
  assert.equal(got.from, 'docket@example.com')
  assert.match(got.text, /^From: Docket <docket@example\.com>$/m)
  assert.match(got.text, /https:\/\/docket\.example\.com\/x/)
  mail.send({ ...LETTER, to: 'ada@example.com,eve' })
  mail.send({ ...LETTER, to: 'grace@example.com' })
  assert.notDeepEqual((await server.next()).to, ['ada@example.com', 'eve'])
  await mail.close()
  await server.close()
})

test('what fails is tried again, and told without what the letter says', async () => {
  const server = await mailServer()
  server.refuse(1)
  const log = silent()
  const mail = openMail({ url: server.url, from: 'docket@example.com' }, log, {
    againAfterMs: [10],
  })
  mail.send(LETTER)
  assert.match((await server.next()).text, /docket\.example\.com\/x/)
  assert.equal(log.told.length, 1)
  server.refuse(5)
  mail.send(LETTER)
  await once(log.events, 'told')
  await once(log.events, 'told')
  assert.match(log.told.at(-1) ?? '', /"again":false/)
  assert.doesNotMatch(log.told.join(), /https|ada/)
  await mail.close()
  await server.close()
})

function silent() {
  const told: string[] = []
  const events = new EventTarget()
  const warn = (about: object, message: string) => {
    told.push(`${JSON.stringify(about)} ${message}`)
    events.dispatchEvent(new Event('told'))
  }
  return { told, events, warn }
}
