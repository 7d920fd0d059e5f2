import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { Throttle } from './slots.ts'

test('limits deliveries to a share of served requests only while the process is busy', (t) => {
  const time = stopPerformanceClock(t)
  const load = { requests: 0, served: 0 }
  let utilization = 1
  const pace = new Throttle(load, () => utilization)
  const nextSample = () => time.pass(60)
  assert.equal(pace.availableAttempts, Number.POSITIVE_INFINITY)
  load.requests = 3
  nextSample()
  assert.equal(pace.availableAttempts, Number.POSITIVE_INFINITY, 'few requests')
  assert.equal(pace.restAfterMs(5), 0)
  load.requests = 64
  nextSample()
  assert.ok(pace.availableAttempts <= 1)
  assert.equal(pace.restAfterMs(5), 80)
  load.served += 100
  const { availableAttempts } = pace
  assert.equal(availableAttempts, 8, 'for 100 requests')
  for (let n = 0; n < availableAttempts; n++) pace.recordAttempt()
  assert.ok(pace.availableAttempts <= 1)
  utilization = 0.5
  nextSample()
  assert.ok(pace.isBusy, 'for a while')
  time.pass(500)
  assert.equal(pace.availableAttempts, Number.POSITIVE_INFINITY, 'there is time left')
})
