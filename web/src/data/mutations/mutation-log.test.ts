import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MutationLog } from './mutation-log.ts'

/** A log whose requests are answered by hand. A payload is the ids that a mutation depends on. */
function createLog({ write = async () => {} }: { write?: () => Promise<void> } = {}) {
  const answers = new Map<string, () => void>()
  const reverted: string[] = []
  const log = new MutationLog<readonly string[]>({
    storage: { write },
    loadKind: async () => ({
      send: (_, { key }) => new Promise((resolve) => answers.set(key, () => resolve([]))),
      revert: (_payload, _error, key) => void reverted.push(key),
    }),
    orderedIdsOf: (ids) => ids,
    now: Date.now,
    random: Math.random,
    schedule: () => assert.fail('nothing is retried'),
    isOnline: () => true,
    isPaused: () => false,
    onChange: () => undefined,
  })
  const answer = async (key: string) => {
    answers.get(key)?.()
    await nextTurn()
  }
  return { log, sent: () => [...answers.keys()], answer, reverted }
}

test('sends moves beside the same task one after the other, and others beside them', async () => {
  const { log, sent, answer, reverted } = createLog()
  const move = (key: string, id: string, anchor: string) =>
    log.add({ key, queueKey: id, label: key, payload: [id, anchor] })
  move('first', 'a', 'b')
  move('same task', 'a', 'c')
  move('its anchor', 'c', 'd')
  move('elsewhere', 'e', 'f')
  log.add({ key: 'title', queueKey: 'd', label: 'title', payload: [] })
  await nextTurn()
  assert.deepEqual(sent(), ['first', 'elsewhere', 'title'])
  await answer('elsewhere')
  assert.deepEqual(sent(), ['first', 'elsewhere', 'title'])
  await answer('first')
  assert.deepEqual(sent().slice(3), ['same task'])
  await answer('same task')
  assert.deepEqual(sent().slice(4), ['its anchor'])
  assert.deepEqual(reverted, [])
})

test('shows a discarded mutation until the storage has deleted it', async () => {
  const deletion = Promise.withResolvers<void>()
  const { log, sent, reverted } = createLog({ write: () => deletion.promise })
  const refusal = { reason: 'Not allowed', text: undefined }
  const entry = { key: 'refused', queueKey: 'a', label: '', payload: [] }
  log.resume([{ ...entry, madeAt: Date.now(), turn: 1, refusal }])
  const isDiscarded = log.discard('refused')
  await nextTurn()
  log.retry('refused')
  assert.deepEqual(sent(), [])
  assert.equal(log.entries.length, 1)
  assert.deepEqual(reverted, [])
  deletion.resolve()
  await isDiscarded
  assert.deepEqual(log.entries, [])
  assert.deepEqual(reverted, ['refused'])
})
