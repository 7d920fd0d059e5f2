import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import type { InstallationMismatch } from './installation-id.ts'
import { startSendingSwitch } from './sending-switch.ts'

/** A sending switch whose installation check the test controls, and a log of its calls. */
async function openSwitch(first: InstallationMismatch | undefined) {
  const calls: string[] = []
  const registry = new Registry()
  const record = (word: string) => async () => void calls.push(word)
  const check = { why: first, fails: false }
  const team = {
    async findMismatch() {
      if (check.fails) throw new Error('The database is away')
      return check.why
    },
    recordHeartbeat: record('beat'),
    resume: record('settle'),
    pause: record('pause'),
  }
  const start = async () => {
    calls.push('start')
    return { stop: record('stop') }
  }
  const log = {
    info: (_: object, message: string) => calls.push(message),
    warn: (about: object) => calls.push(`warn ${JSON.stringify(about)}`),
    error: (_: object, message: string) => calls.push(message),
  }
  const deps = { installation: team, start, registry, log, checkIntervalMs: 5 }
  const opened = await startSendingSwitch(deps)
  const sending = async () => (await registry.metrics()).split('\n').at(-2)?.at(-1)
  return { opened, calls, check, sending }
}

test('records a heartbeat before the first delivery and two after the last', async () => {
  const { opened, calls, sending } = await openSwitch(undefined)
  assert.deepEqual(calls, ['beat', 'start'])
  assert.equal(await sending(), '1')
  await opened.stop()
  assert.deepEqual(calls, ['beat', 'start', 'stop', 'beat', 'beat'])
})

test('starts and stops sending with the installation check and logs each reason once', async () => {
  const { opened, calls, check, sending } = await openSwitch('older')
  assert.deepEqual(calls, ['warn {"reason":"older"}'])
  assert.equal(await sending(), '0')
  check.why = undefined
  await waitUntil('the start', () => calls.includes('Webhooks are sent again'))
  check.why = 'paused'
  await waitUntil('the stop', () => calls.includes('stop'))
  assert.equal(await sending(), '0')
  await opened.stop()
  assert.deepEqual(calls, [
    'warn {"reason":"older"}',
    'beat',
    'start',
    'Webhooks are sent again',
    'warn {"reason":"paused"}',
    'stop',
  ])
})

const FAILURE = 'Failed to check whether this installation may send webhooks'
/** Checks follow each other so closely that several may fail. */
const withoutFailures = (calls: readonly string[]) => calls.filter((word) => word !== FAILURE)

test('keeps sending while installation checks fail', async (t) => {
  // No further heartbeat is due.
  stopPerformanceClock(t)
  const { opened, calls, check } = await openSwitch(undefined)
  check.fails = true
  await waitUntil('a failed check', () => calls.includes(FAILURE))
  check.fails = false
  assert.deepEqual(withoutFailures(calls), ['beat', 'start'])
  await opened.stop()
  assert.deepEqual(withoutFailures(calls), ['beat', 'start', 'stop', 'beat', 'beat'])
})

test('stops sending when there is no heartbeat for 30 s, and sends again after a check', async (t) => {
  const clock = stopPerformanceClock(t)
  const { opened, calls, check, sending } = await openSwitch(undefined)
  check.fails = true
  clock.pass(30_001)
  await waitUntil('the stop', () => calls.includes('stop'))
  assert.equal(await sending(), '0')
  check.fails = false
  await waitUntil('the second start', () => calls.at(-1) === 'start')
  assert.deepEqual(withoutFailures(calls), ['beat', 'start', 'stop', 'beat', 'start'])
  assert.equal(await sending(), '1')
  await opened.stop()
})
