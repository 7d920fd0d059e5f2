import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST, type Slot, Slots } from './slots.ts'

/** Takes as much as there is. */
function fill(slots: Slots, workspace: string, webhook: string, host = webhook): Slot[] {
  const taken: Slot[] = []
  while (slots.room(workspace, webhook, host) > 0) taken.push(slots.take(workspace, webhook, host))
  return taken
}

/** A receiver that has answered so often that it is trusted. */
function trusted(slots: Slots, workspace: string, webhook: string): void {
  for (let n = 0; n < MOST.webhook; n++) slots.take(workspace, webhook, webhook).free(true)
}

test('a receiver begins with two attempts, gets eight by answering, and one after a time-out', () => {
  const slots = new Slots()
  const [first, ...rest] = fill(slots, 'w', 'hook')
  assert.equal(rest.length, 1)
  first?.free(true)
  assert.equal(slots.room('w', 'hook', 'hook'), 2)
  for (const slot of rest) slot.free(true)
  trusted(slots, 'w', 'hook')
  const eight = fill(slots, 'w', 'hook')
  assert.equal(eight.length, 8)
  for (const slot of eight) slot.free(false)
  assert.equal(fill(slots, 'w', 'hook').length, 1)
})

test('a workspace has 50 places, a host 50, all together 256', () => {
  const slots = new Slots()
  const webhooks = Array.from({ length: 20 }, (_, n) => `w${n}`)
  for (const webhook of webhooks) trusted(slots, 'one', webhook)
  assert.equal(webhooks.flatMap((webhook) => fill(slots, 'one', webhook)).length, 50)
  assert.equal(fill(slots, 'two', 'other').length, 2, 'another workspace has its own')
  const same = new Slots()
  const taken = Array.from({ length: 40 }, (_, n) => fill(same, `w${n}`, `h${n}`, 'example.com'))
  assert.equal(taken.flat().length, MOST.host + 15, 'but each receiver there has one')
  const all = new Slots()
  const many = Array.from({ length: 300 }, (_, n) => fill(all, `w${n}`, `h${n}`)).flat()
  assert.equal(many.length, MOST.all)
  for (const slot of many) slot.free(true)
  assert.equal(all.room('w1', 'h1', 'h1'), 4)
})

test('receivers that time out leave half of the places to those that answer', () => {
  const slots = new Slots()
  const hanging = Array.from({ length: 50 }, (_, n) => `hang${n}`)
  for (const webhook of hanging) slots.take('w', webhook, webhook).free(false)
  assert.equal(hanging.flatMap((webhook) => fill(slots, 'w', webhook)).length, 25)
  const quick = Array.from({ length: 5 }, (_, n) => `quick${n}`)
  for (const webhook of quick) trusted(slots, 'w', webhook)
  assert.equal(quick.flatMap((webhook) => fill(slots, 'w', webhook)).length, 25)
})

test('a receiver that answers again is trusted again, one attempt at a time', () => {
  const slots = new Slots()
  slots.take('w', 'hook', 'hook').free(false)
  assert.equal(slots.room('w', 'hook', 'hook'), 1)
  slots.take('w', 'hook', 'hook').free(true)
  assert.equal(slots.room('w', 'hook', 'hook'), 2)
  slots.meet('hook', true)
  assert.equal(slots.room('w', 'hook', 'hook'), 2, 'it is known already')
  slots.meet('other', true)
  assert.equal(fill(slots, 'w', 'other').length, 1, 'its webhook fails')
})
