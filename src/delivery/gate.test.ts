import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { until } from '#test/support/delivering.ts'
import { openGate } from './gate.ts'
import type { Astray } from './home.ts'

/** A gate of a home that says what a test likes, and all that happens at it. */
async function gate(first: Astray | undefined) {
  const happened: string[] = []
  const registry = new Registry()
  const note = (word: string) => async () => void happened.push(word)
  const says = { why: first, fails: false }
  const home = {
    async whyNot() {
      if (says.fails) throw new Error('The database is away')
      return says.why
    },
    ...{ beat: note('beat'), settle: note('settle'), pause: note('pause') },
  }
  const start = async () => {
    happened.push('start')
    return { stop: note('stop') }
  }
  const log = {
    info: (_: object, message: string) => happened.push(message),
    warn: (about: object) => happened.push(`warn ${JSON.stringify(about)}`),
    error: (_: object, message: string) => happened.push(message),
  }
  const opened = await openGate({ home, start, registry, log })
  const sending = async () => (await registry.metrics()).split('\n').at(-2)?.at(-1)
  return { opened, happened, says, sending }
}

test('a beat comes before the first delivery, and two come after the last', async () => {
  const { opened, happened, sending } = await gate(undefined)
  assert.deepEqual(happened, ['beat', 'start'])
  assert.equal(await sending(), '1')
  await opened.stop()
  assert.deepEqual(happened, ['beat', 'start', 'stop', 'beat', 'beat'])
})

test('it opens and closes as the home says, and tells why once', async () => {
  const { opened, happened, says, sending } = await gate('older')
  assert.deepEqual(happened, ['warn {"reason":"older"}'])
  assert.equal(await sending(), '0')
  says.why = undefined
  await until('its opening', () => happened.includes('start'))
  says.why = 'paused'
  await until('its closing', () => happened.includes('stop'))
  assert.equal(await sending(), '0')
  await opened.stop()
  assert.deepEqual(happened, [
    ...['warn {"reason":"older"}', 'Deliveries to webhooks are sent', 'beat', 'start'],
    ...['warn {"reason":"paused"}', 'stop'],
  ])
})

test('a look that fails for a moment ends nothing', async () => {
  const { opened, happened, says } = await gate(undefined)
  says.fails = true
  await until('a failed look', () => happened.length === 3)
  assert.deepEqual(happened, [
    'beat',
    'start',
    'It is not known whether webhooks may be sent from here',
  ])
  says.fails = false
  await opened.stop()
  assert.equal(happened.filter((word) => word === 'start').length, 1)
})
