import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AttemptSlots, MAX_SLOTS, restAfterMs } from './dispatcher.ts'

/** A webhook of a workspace, at a host of its own unless given. */
const receiver = (workspace_id: string, webhook_id: string, host = webhook_id) => ({
  workspace_id,
  webhook_id,
  host,
})

/** Takes all available slots; returns what frees them. */
function fill(slots: AttemptSlots, ...of: Parameters<typeof receiver>) {
  const taken: ReturnType<AttemptSlots['acquire']>[] = []
  while (slots.available(receiver(...of)) > 0) taken.push(slots.acquire(receiver(...of)))
  return taken
}

/** A receiver answers in time, or not. */
const answer = (slots: AttemptSlots, webhook: string, isInTime: boolean) =>
  slots.acquire(receiver('someone', webhook))(isInTime)

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
  const slots = new AttemptSlots()
  assert.equal(fillEach(slots, names(slots, 'quick', 20), 'w').length, 24)
  assert.equal(fill(slots, 'other', 'other').length, 4, 'another workspace has its own')
  const same = new AttemptSlots()
  const taken = names(same, 'quick', 20).map(
    (one, n) => fill(same, `w${n}`, one, 'a.example').length,
  )
  assert.deepEqual(
    taken,
    [...Array(6).fill(4), ...Array(14).fill(1)],
    'each receiver has one there',
  )
  const all = new AttemptSlots()
  const many = fillEach(all, names(all, 'quick', 40))
  assert.equal(many.length, MAX_SLOTS.all)
  for (const release of many) release(true)
  assert.equal(all.available(receiver('w1', 'h1')), 4)
})

test('receivers that time out leave half of the slots to those that answer', () => {
  const slots = new AttemptSlots()
  const [slow, quick] = [names(slots, 'slow', 20), names(slots, 'quick', 20)]
  assert.equal(fillEach(slots, slow).length, 32)
  assert.equal(fillEach(slots, quick).length, 32)
})

test('a receiver is slow after a timeout, until it answers in time', () => {
  const slots = new AttemptSlots()
  fillEach(slots, names(slots, 'slow', 8))
  assert.equal(slots.available(receiver('w', 'one')), 4)
  answer(slots, 'one', false)
  assert.equal(slots.available(receiver('w', 'one')), 0)
  answer(slots, 'one', true)
  assert.equal(slots.available(receiver('w', 'one')), 4)
})

test('a freed slot goes to the workspace that has waited longest, not to the one that had it', () => {
  const slots = new AttemptSlots()
  const taken = fillEach(slots, names(slots, 'quick', 40))
  assert.equal(slots.takeWaiting(), undefined)
  for (const late of ['late', 'later']) slots.wait(receiver(late, late))
  assert.equal(slots.takeWaiting(), undefined, 'no slot is free yet')
  const release = () => taken.pop()?.(true)
  release()
  assert.equal(slots.takeNextAfter('w0'), 'late')
  slots.acquire(receiver('late', 'late'))
  slots.wait(receiver('late', 'late'))
  release()
  assert.equal(slots.takeNextAfter('w1'), 'later')
  assert.equal(slots.takeWaiting(), 'w0', 'the slot was not used')
  assert.equal(slots.takeWaiting(), 'late')
  assert.equal(slots.takeWaiting(), 'w1')
  assert.equal(slots.takeNextAfter('w2'), 'w2', 'nobody waits')
})

test('a workspace whose receiver is slow waits for a slot of that part only', () => {
  const slots = new AttemptSlots()
  const slow = names(slots, 'slow', 9)
  fillEach(slots, slow)
  assert.equal(slots.available(receiver('late', 'slow8')), 0)
  slots.wait(receiver('late', 'slow8'))
  assert.equal(slots.takeNextAfter('quick'), 'quick', 'a slot of the others is no use to it')
  answer(slots, 'quick', true)
  assert.equal(slots.takeWaiting(), undefined)
})

test('a workspace at a limit of its own does not wait for others', () => {
  const slots = new AttemptSlots()
  fill(slots, 'w', 'hook')
  slots.wait(receiver('w', 'hook'))
  assert.equal(slots.takeWaiting(), undefined)
})

test('rests after work in the database for as long as requests have waited for it', () => {
  assert.deepEqual(
    [0, 1, 64].map((requests) => restAfterMs(5, { requests })),
    [0, 5, 20],
  )
})
