import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stoppedTime } from '#test/support/stopped-time.ts'
import { Pace } from './pace.ts'

test('deliveries have no limit until requests crowd, and then a share of what is served', (t) => {
  const time = stoppedTime(t)
  const load = { requests: 0, served: 0 }
  let used = 1
  const pace = new Pace(load, () => used)
  const changed = () => time.pass(60)
  assert.equal(pace.allowed, Number.POSITIVE_INFINITY)
  load.requests = 3
  changed()
  assert.equal(pace.allowed, Number.POSITIVE_INFINITY, 'few requests')
  assert.equal(pace.restAfter(5), 0)
  load.requests = 64
  changed()
  assert.ok(pace.allowed <= 1)
  assert.equal(pace.restAfter(5), 80)
  load.served += 100
  const { allowed } = pace
  assert.equal(allowed, 8, 'for 100 requests')
  for (let n = 0; n < allowed; n++) pace.began()
  assert.ok(pace.allowed <= 1)
  used = 0.5
  changed()
  assert.ok(pace.busy, 'for a while')
  time.pass(500)
  assert.equal(pace.allowed, Number.POSITIVE_INFINITY, 'there is time left')
})
