import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from './pace.ts'

test('deliveries have no limit until requests crowd, and then a share of what is served', async () => {
  const load = { requests: 0, served: 0 }
  const pace = new Pace(load)
  assert.equal(pace.allowed, Number.POSITIVE_INFINITY)
  load.requests = 3
  assert.equal(pace.allowed, Number.POSITIVE_INFINITY)
  assert.equal(pace.restAfter(5), 0)
  load.requests = 64
  assert.ok(pace.allowed <= 1)
  assert.equal(pace.restAfter(5), 30)
  load.served += 40
  const { allowed } = pace
  assert.ok(allowed >= 10 && allowed <= 12, `${allowed} for 40 requests`)
  for (let n = 0; n < allowed; n++) pace.began()
  assert.ok(pace.allowed <= 1)
  load.requests = 0
  await new Promise((resolve) => setTimeout(resolve, 150))
  assert.equal(pace.allowed, Number.POSITIVE_INFINITY)
})
