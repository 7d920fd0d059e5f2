import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AttemptSlot, AttemptSlots, MAX_SLOTS, restAfterMs } from './slots.ts'

const openSlots = (requests = 0) => new AttemptSlots({ requests })

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

/** A receiver answers in time, or not. */
const answer = (slots: AttemptSlots, webhook: string, inTime: boolean) =>
  slots.acquire('someone', webhook, webhook).release(inTime)

/** Takes all slots of several webhooks: each in a workspace of its own, or all in the same. */
const fillEach = (slots: AttemptSlots, webhooks: readonly string[], workspace?: string) =>
  webhooks.flatMap((webhook) => fill(slots, workspace ?? `of ${webhook}`, webhook))

/** As many webhooks, which have timed out if they are slow. */
function names(slots: AttemptSlots, name: 'quick' | 'slow', count: number): string[] {
  const all = Array.from({ length: count }, (_, n) => name + n)
  if (name === 'slow') for (const webhook of all) answer(slots, webhook, false)
  return all
}

test('limits slots to 4 per webhook, 24 per workspace and host, and 64 in all', () => {
  const slots = openSlots()
  assert.equal(fillEach(slots, names(slots, 'quick', 20), 'w').length, 24)
  assert.equal(fill(slots, 'other', 'other').length, 4, 'another workspace has its own')
  const same = openSlots()
  const taken = names(same, 'quick', 20).map(
    (one, n) => fill(same, `w${n}`, one, 'a.example').length,
  )
  assert.deepEqual(
    taken,
    [...Array(6).fill(4), ...Array(14).fill(1)],
    'each receiver has one there',
  )
  const all = openSlots()
  const many = fillEach(all, names(all, 'quick', 40))
  assert.equal(many.length, MAX_SLOTS.all)
  for (const slot of many) slot.release(true)
  assert.equal(all.available('w1', 'h1', 'h1'), 4)
})

test('receivers that time out leave half of the slots to those that answer', () => {
  const slots = openSlots()
  const [slow, quick] = [names(slots, 'slow', 20), names(slots, 'quick', 20)]
  assert.equal(fillEach(slots, slow, 'w').length, 12, 'of a workspace')
  assert.equal(fillEach(slots, quick, 'w').length, 12)
  assert.equal(fillEach(slots, slow).length, 20, 'of all')
  assert.equal(fillEach(slots, quick).length, 20)
})

test('a receiver is slow after a timeout, until it answers in time', () => {
  const slots = openSlots()
  fillEach(slots, names(slots, 'slow', 8))
  assert.equal(slots.available('w', 'one', 'one'), 4)
  answer(slots, 'one', false)
  assert.equal(slots.available('w', 'one', 'one'), 0)
  answer(slots, 'one', true)
  assert.equal(slots.available('w', 'one', 'one'), 4)
})

test('a freed slot goes to the workspace that has waited longest, not to the one that had it', () => {
  const slots = openSlots()
  const taken = fillEach(slots, names(slots, 'quick', 40))
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
  const slots = openSlots()
  const slow = names(slots, 'slow', 9)
  fillEach(slots, slow)
  assert.equal(slots.available('late', 'slow8', 'slow8'), 0)
  slots.wait('late', 'slow8', 'slow8')
  assert.equal(slots.takeNextAfter('quick'), 'quick', 'a slot of the others is no use to it')
  answer(slots, 'quick', true)
  assert.equal(slots.takeWaiting(), undefined)
})

test('a workspace at a limit of its own does not wait for others', () => {
  const slots = openSlots()
  fill(slots, 'w', 'hook')
  slots.wait('w', 'hook', 'hook')
  assert.equal(slots.takeWaiting(), undefined)
})

test('gives way to requests while several are served', () => {
  const load = { requests: 4 }
  const slots = new AttemptSlots(load)
  assert.equal(fillEach(slots, names(slots, 'slow', 8)).length, 32)
  const quick = names(slots, 'quick', 20)
  assert.equal(fillEach(slots, quick).length, 16)
  load.requests = 3
  assert.equal(fillEach(slots, quick).length, 16)
  assert.deepEqual(
    [0, 1, 64].map((requests) => restAfterMs(5, { requests })),
    [0, 5, 20],
  )
})
