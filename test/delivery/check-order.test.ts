import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceivedAttempt, ReceivedEvent } from '../support/webhooks/verifying-receiver.ts'
import { findOrderFaults } from './check-order.ts'

/** Attempts of two events about one task; `at` is their position in the list. */
function attemptsAt(...attempts: [event: 'first' | 'second', more: Partial<ReceivedAttempt>][]) {
  const arrivals = attempts.map(
    ([event, more], at): ReceivedAttempt => ({
      hook: 'hook',
      event,
      type: 'task.updated',
      delivery: event,
      attempt: 1,
      at,
      behavior: 'error',
      isAbandoned: false,
      ...more,
    }),
  )
  const shared = { subject: 'task', type: '', workspace_id: '', operation_id: '', signature: '' }
  const events = new Map<string, ReceivedEvent>([
    ['first', { ...shared, sequence: 1 }],
    ['second', { ...shared, sequence: 2 }],
  ])
  return findOrderFaults({ arrivals, events }, 10)
}

test('finds an event that was sent before the fourth attempt of an earlier one', () => {
  const faults = attemptsAt(['first', { attempt: 3 }], ['second', {}], ['first', { attempt: 4 }])
  assert.deepEqual(faults, ['hook task: 2 before attempt 4 of 1'])
})

test('accepts a later event after a success, after four attempts, or read before an abandoned attempt', () => {
  assert.deepEqual(attemptsAt(['first', { behavior: 'ok' }], ['second', {}], ['first', {}]), [])
  assert.deepEqual(attemptsAt(['second', {}], ['first', { attempt: 5 }]), [])
  assert.deepEqual(attemptsAt(['second', {}], ['first', { attempt: 4, isAbandoned: true }]), [])
})
