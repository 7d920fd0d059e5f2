import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUploadSlots, type ReleaseSlot, type UploadSlots } from './upload-handler.ts'

/** Takes slots for one owner until there is none, and returns what releases them. */
function takeAll(slots: UploadSlots, user_id: string, network = '192.0.2.1'): ReleaseSlot[] {
  const held: ReleaseSlot[] = []
  const workspace_id = `workspace of ${user_id}`
  for (;;) {
    const release = slots.acquire({ network, user_id, workspace_id })
    if (!release) return held
    held.push(release)
  }
}

test('many workspaces of one network hold no more than half of the slots', () => {
  const slots = createUploadSlots(64)
  const held = Array.from({ length: 160 }, (_, n) => takeAll(slots, `usr_${n}`)).flat()
  assert.equal(held.length, 32)
  assert.equal(takeAll(slots, 'usr_neighbour', '192.0.2.2').length, 11)
  for (const release of held) release()
  assert.equal(takeAll(slots, 'usr_0').length > 10, true)
})

test('a person holds no more slots with several workspaces, nor a workspace with several people', () => {
  for (const owner of ['user_id', 'workspace_id'] as const) {
    const slots = createUploadSlots(64)
    let held = 0
    for (let n = 0; n < 64; n += 1) {
      const ids = { user_id: `usr_${n}`, workspace_id: `wsp_${n}`, [owner]: 'one' }
      if (slots.acquire({ network: '192.0.2.1', ...ids })) held += 1
    }
    assert.equal(held, 22)
    assert.ok(slots.acquire({ network: '192.0.2.1', user_id: 'usr_x', workspace_id: 'wsp_x' }))
  }
})
