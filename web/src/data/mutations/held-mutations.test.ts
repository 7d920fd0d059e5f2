import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MutationEntry, MutationKind } from './mutation-entry.ts'
import { MutationLog } from './mutation-log.ts'

interface HeldLogOptions {
  now?: () => number
  end?: Promise<unknown>
  /** Ends every deletion. */
  write?: Promise<void>
  /** What each attempt replaces the payload by, and what ends the write of it. */
  revision?: { payload: string; write: Promise<void> }
}

/** A log whose mutations take as long as `end`, and what it has stored and sent. */
function createLog(options: HeldLogOptions = {}) {
  const { now = Date.now, end = Promise.resolve(), write, revision } = options
  const stored = new Map<string, MutationEntry<string>>()
  const writes: string[][] = []
  const sent: string[] = []
  const stopped: string[] = []
  const kind: MutationKind<string> = {
    async send(_, { key, hold, revise }) {
      sent.push(key)
      if (revision) await revise(revision.payload)
      await hold(end)
      return []
    },
    stop: (key) => void stopped.push(key),
    revert: () => undefined,
    textOf: () => '',
  }
  const log = new MutationLog<string>({
    storage: {
      async write(puts, deletedKeys) {
        writes.push(puts.map(({ key }) => key))
        if (deletedKeys.length > 0) await write
        if (puts.some(({ payload }) => payload === revision?.payload)) await revision?.write
        for (const one of puts) stored.set(one.key, one)
        for (const key of deletedKeys) stored.delete(key)
      },
    },
    loadKind: async () => kind,
    blockingKeysOf: ({ queueKey }) => [queueKey],
    awaitedKeysOf: ({ queueKey }) => [queueKey],
    rebaseOn: () => () => undefined,
    keepOutcomeOf: () => () => undefined,
    now,
    random: Math.random,
    isOnline: () => true,
    isPaused: () => false,
    schedule: (run) => void setImmediate(run),
    onChange: () => undefined,
  })
  const add = async (key: string) => {
    log.add({ key, queueKey: 'a', label: key, payload: '' })
    await nextTurn()
  }
  return { log, add, stored, writes, sent, stopped }
}

for (const isRefused of [false, true]) {
  test(`leaves nothing of a long one that is ${isRefused ? 'refused' : 'applied'} while it is discarded`, async () => {
    const end = Promise.withResolvers<void>()
    const write = Promise.withResolvers<void>()
    const { log, add, stored, stopped } = createLog({ end: end.promise, write: write.promise })
    await add('upload')
    assert.equal(log.entries[0]?.state, 'held')
    const isDiscarded = log.discard('upload')
    await nextTurn()
    assert.deepEqual(stopped, ['upload'])
    if (isRefused) end.reject(new Error('too large'))
    else end.resolve()
    await nextTurn()
    write.resolve()
    await isDiscarded
    await nextTurn()
    assert.deepEqual([log.entries, [...stored.keys()]], [[], []])
  })
}

test('sends what this page has added behind what it resumes, whatever the clock says', async () => {
  const { log, add, stored, writes, sent } = createLog({
    now: () => 1_000_000,
    end: new Promise(() => {}),
  })
  await add('new')
  await add('newer')
  const earlier = { key: 'earlier', queueKey: 'b', label: '', payload: '' }
  log.resume([{ ...earlier, madeAt: 5_000_000, turn: 5_000_000 }])
  await nextTurn()
  assert.deepEqual(
    log.entries.map(({ key, turn }) => [key, turn]),
    [
      ['earlier', 5_000_000],
      ['new', 5_000_001],
      ['newer', 5_000_002],
    ],
  )
  assert.deepEqual([stored.get('new')?.turn, stored.get('newer')?.turn], [5_000_001, 5_000_002])
  // A page that ends between two writes would leave them in another order.
  assert.deepEqual(writes.at(-1), ['new', 'newer'])
  // The clock was set back, so nobody knows how old it is: it waits for the person.
  assert.deepEqual(sent, ['new'])
})

test('keeps the order in which two open pages have made what one takes over', async () => {
  const { log, add } = createLog({ now: () => 3_000, end: new Promise(() => {}) })
  log.resume([])
  await add('third')
  const entry = { queueKey: 'b', label: '', payload: '' }
  log.resume([
    { ...entry, key: 'second', madeAt: 2_000, turn: 2_000 },
    { ...entry, key: 'fourth', madeAt: 4_000, turn: 4_000 },
  ])
  assert.deepEqual(
    log.entries.map(({ key, turn }) => [key, turn]),
    [
      ['second', 2_000],
      ['third', 3_000],
      ['fourth', 4_000],
    ],
  )
})

test('counts a revised mutation as unstored until the storage has the revision', async () => {
  const write = Promise.withResolvers<void>()
  const revision = { payload: 'merged', write: write.promise }
  const { log, add, stored } = createLog({ revision, end: new Promise(() => {}) })
  await add('edit')
  const states = () => log.entries.map(({ payload, storage }) => [payload, storage])
  assert.deepEqual([states(), stored.get('edit')?.payload], [[['merged', 'storing']], ''])
  write.resolve()
  await nextTurn()
  assert.deepEqual([states(), stored.get('edit')?.payload], [[['merged', 'stored']], 'merged'])
})
