import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { type AttemptSlot, AttemptSlots, MAX_SLOTS, Throttle } from './slots.ts'

/** Takes all available slots. */
function fill(
  slots: AttemptSlots,
  workspace: string,
  webhook: string,
  host = webhook,
): AttemptSlot[] {
  const taken: AttemptSlot[] = []
  while (slots.available(workspace, webhook, host) > 0)
    taken.push(slots.acquire(workspace, webhook, host))
  return taken
}

/** Raises a receiver to its maximum of slots by answering in time. */
function trust(slots: AttemptSlots, workspace: string, webhook: string): void {
  for (let n = 0; n < MAX_SLOTS.webhook; n++)
    slots.acquire(workspace, webhook, webhook).release(true)
}

test('a receiver starts with two slots, grows to eight by answering, and drops to one on a timeout', () => {
  const slots = new AttemptSlots()
  const [first, ...rest] = fill(slots, 'w', 'hook')
  assert.equal(rest.length, 1)
  first?.release(true)
  assert.equal(slots.available('w', 'hook', 'hook'), 2)
  for (const slot of rest) slot.release(true)
  trust(slots, 'w', 'hook')
  const eight = fill(slots, 'w', 'hook')
  assert.equal(eight.length, 8)
  for (const slot of eight) slot.release(false)
  assert.equal(fill(slots, 'w', 'hook').length, 1)
})

test('limits slots to 50 per workspace, 50 per host and 256 in all', () => {
  const slots = new AttemptSlots()
  const webhooks = Array.from({ length: 20 }, (_, n) => `w${n}`)
  for (const webhook of webhooks) trust(slots, 'one', webhook)
  assert.equal(webhooks.flatMap((webhook) => fill(slots, 'one', webhook)).length, 50)
  assert.equal(fill(slots, 'two', 'other').length, 2, 'another workspace has its own')
  const same = new AttemptSlots()
  const taken = Array.from({ length: 40 }, (_, n) => fill(same, `w${n}`, `h${n}`, 'example.com'))
  assert.equal(taken.flat().length, MAX_SLOTS.host + 15, 'but each receiver there has one')
  const all = new AttemptSlots()
  const many = Array.from({ length: 300 }, (_, n) => fill(all, `w${n}`, `h${n}`)).flat()
  assert.equal(many.length, MAX_SLOTS.all)
  for (const slot of many) slot.release(true)
  assert.equal(all.available('w1', 'h1', 'h1'), 4)
})

test('receivers that time out leave half of the slots to those that answer', () => {
  const slots = new AttemptSlots()
  const hanging = Array.from({ length: 50 }, (_, n) => `hang${n}`)
  for (const webhook of hanging) slots.acquire('w', webhook, webhook).release(false)
  assert.equal(hanging.flatMap((webhook) => fill(slots, 'w', webhook)).length, 25)
  const quick = Array.from({ length: 5 }, (_, n) => `quick${n}`)
  for (const webhook of quick) trust(slots, 'w', webhook)
  assert.equal(quick.flatMap((webhook) => fill(slots, 'w', webhook)).length, 25)
})

test('a receiver that answers again regains its slots one by one', () => {
  const slots = new AttemptSlots()
  slots.acquire('w', 'hook', 'hook').release(false)
  assert.equal(slots.available('w', 'hook', 'hook'), 1)
  slots.acquire('w', 'hook', 'hook').release(true)
  assert.equal(slots.available('w', 'hook', 'hook'), 2)
  slots.register('hook', true)
  assert.equal(slots.available('w', 'hook', 'hook'), 2, 'it is known already')
  slots.register('other', true)
  assert.equal(fill(slots, 'w', 'other').length, 1, 'its webhook fails')
})

test('a freed slot goes to the workspace that has waited longest, not to the one that had it', () => {
  const slots = new AttemptSlots()
  const taken = Array.from({ length: 128 }, (_, n) => fill(slots, `w${n % 6}`, `h${n}`)).flat()
  assert.equal(taken.length, MAX_SLOTS.all)
  assert.equal(slots.takeWaiting(), undefined)
  for (const late of ['late', 'later']) slots.wait(late, late, late)
  assert.equal(slots.takeWaiting(), undefined, 'no slot is free yet')
  const release = () => taken.pop()?.release(true)
  release()
  assert.equal(slots.takeNextAfter('w0'), 'late')
  slots.acquire('late', 'late', 'late')
  slots.wait('late', 'late', 'late')
  release()
  assert.equal(slots.takeNextAfter('w1'), 'later')
  assert.equal(slots.takeWaiting(), 'w0', 'the slot was not used')
  assert.equal(slots.takeWaiting(), 'late')
  assert.equal(slots.takeWaiting(), 'w1')
  assert.equal(slots.takeNextAfter('w2'), 'w2', 'nobody waits')
})

test('a workspace whose receiver is slow waits for a slot of that part only', () => {
  const slots = new AttemptSlots()
  const hanging = Array.from({ length: 128 }, (_, n) => `hang${n}`)
  for (const [n, webhook] of hanging.entries()) {
    slots.register(webhook, true)
    slots.acquire(`w${n % 6}`, webhook, webhook)
  }
  slots.register('slow', true)
  assert.equal(slots.available('late', 'slow', 'slow'), 0)
  slots.wait('late', 'slow', 'slow')
  assert.equal(slots.takeNextAfter('quick'), 'quick', 'a slot of the others is no use to it')
  slots.acquire('w9', 'quick', 'quick').release(true)
  assert.equal(slots.takeWaiting(), undefined)
})

test('a workspace at a limit of its own does not wait for others', () => {
  const slots = new AttemptSlots()
  fill(slots, 'w', 'hook')
  slots.wait('w', 'hook', 'hook')
  assert.equal(slots.takeWaiting(), undefined)
})

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
