import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Pace } from './pace.ts'

test('deliveries have no limit until requests crowd, and then a share of what is served', async () => {
  const load = { requests: 0, served: 0 }
  let used = 1
  const pace = new Pace(load, () => used)
  const changed = () => pause(60)
  assert.equal(pace.allowed, Number.POSITIVE_INFINITY)
  load.requests = 3
  await changed()
  assert.equal(pace.allowed, Number.POSITIVE_INFINITY, 'few requests')
  assert.equal(pace.restAfter(5), 0)
  load.requests = 64
  await changed()
  assert.ok(pace.allowed <= 1)
  assert.equal(pace.restAfter(5), 80)
  load.served += 100
  const { allowed } = pace
  assert.ok(allowed >= 8 && allowed <= 10, `${allowed} for 100 requests`)
  for (let n = 0; n < allowed; n++) pace.began()
  assert.ok(pace.allowed <= 1)
  used = 0.5
  await changed()
  assert.ok(pace.busy, 'for a while')
  await pause(500)
  assert.equal(pace.allowed, Number.POSITIVE_INFINITY, 'there is time left')
})
