import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiResponseError, NetworkError } from '../../lib/http/problem.ts'
import type { MutationAttempt, MutationEntry, MutationStorage } from './mutation-entry.ts'
import { MutationLog, OrderedStorage } from './mutation-log.ts'

interface LogOptions {
  write?: MutationStorage<readonly string[]>['write']
  isPaused?: () => boolean
  textOf?: () => string
  rebase?: (payload: readonly string[]) => readonly string[]
  /** What a request does before it waits for its answer. */
  send?: (attempt: MutationAttempt<readonly string[]>) => Promise<void>
}

/** A log whose requests are answered by hand. A payload is the ids that a mutation depends on. */
function createLog(options: LogOptions = {}) {
  const { write, isPaused = () => false, send, textOf, rebase } = options
  const answers = new Map<string, () => void>()
  const reverted: string[] = []
  const revertErrors: unknown[] = []
  const log = new MutationLog<readonly string[]>({
    storage: { write: write ?? (async () => {}) },
    loadKind: async () => ({
      async send(_, attempt) {
        await send?.(attempt)
        return new Promise((resolve) => answers.set(attempt.key, () => resolve([])))
      },
      revert(_payload, error, key) {
        reverted.push(key)
        revertErrors.push(error)
      },
      ...(textOf && { textOf }),
      ...(rebase && { rebase }),
    }),
    blockingKeysOf: ({ queueKey, payload }) => [queueKey, ...payload.map((id) => `order ${id}`)],
    awaitedKeysOf: ({ queueKey, payload }) => [queueKey, ...payload.map((id) => `order ${id}`)],
    rebaseOn: () => () => undefined,
    keepOutcomeOf: () => () => undefined,
    now: Date.now,
    random: Math.random,
    schedule: (work) => void setImmediate(work),
    isOnline: () => true,
    isPaused,
    onChange: () => undefined,
  })
  const answer = async (key: string) => {
    answers.get(key)?.()
    await nextTurn()
  }
  return { log, sent: () => [...answers.keys()], answer, reverted, revertErrors }
}

/** A storage that takes what is added, and does not delete it until it is told. */
function createSlowDeletion() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let writes = 0
  const write = async () => {
    writes += 1
    if (writes > 1) await promise
  }
  return { write, finish: resolve }
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

test('tells nobody of a refusal again when the person discards what was refused', async () => {
  const error = { code: 'forbidden', message: 'Not now.', details: [], request_id: '' }
  const { log, revertErrors } = createLog({
    textOf: () => 'Text',
    send: () => Promise.reject(new ApiResponseError(403, error)),
  })
  log.add({ key: 'refused', queueKey: 'a', label: '', payload: [] })
  await nextTurn()
  assert.ok(log.entries[0]?.error instanceof ApiResponseError)
  await log.discard('refused')
  assert.deepEqual(revertErrors, [undefined])
})

test('sends nothing that is being discarded, when the session is back', async () => {
  let isPaused = true
  const { write, finish } = createSlowDeletion()
  const { log, sent, reverted } = createLog({ write, isPaused: () => isPaused })
  log.add({ key: 'waiting', queueKey: 'a', label: '', payload: [] })
  await nextTurn()
  const isDiscarded = log.discard('waiting')
  await nextTurn()
  isPaused = false
  log.sendNext()
  await nextTurn()
  finish()
  await isDiscarded
  assert.deepEqual([sent(), reverted, log.entries], [[], ['waiting'], []])
})

test('retries nothing that is being discarded', async () => {
  const { write, finish } = createSlowDeletion()
  let attempts = 0
  const { log, reverted } = createLog({
    write,
    async send() {
      attempts += 1
      throw new NetworkError()
    },
  })
  log.add({ key: 'failing', queueKey: 'a', label: '', payload: [] })
  while (log.entries[0]?.state !== 'unsaved') await nextTurn()
  const isDiscarded = log.discard('failing')
  const made = attempts
  await nextTurn()
  log.retryFailed()
  await nextTurn()
  finish()
  await isDiscarded
  assert.deepEqual([attempts, reverted, log.entries], [made, ['failing'], []])
})

test('a choice in a conflict sends nothing that is being discarded', async () => {
  const { write, finish } = createSlowDeletion()
  const choice = Promise.withResolvers<void>()
  const { log, sent, reverted } = createLog({ write, send: ({ hold }) => hold(choice.promise) })
  log.add({ key: 'held', queueKey: 'a', label: '', payload: [] })
  while (log.entries[0]?.state !== 'held') await nextTurn()
  const isDiscarded = log.discard('held')
  await nextTurn()
  choice.resolve()
  await nextTurn()
  finish()
  await isDiscarded
  assert.deepEqual([sent(), reverted, log.entries], [[], ['held'], []])
})

test('sends a refused creation again although newer mutations wait for it', async () => {
  const refusal = Promise.withResolvers<void>()
  const sent: string[] = []
  const { log } = createLog({
    textOf: () => 'title',
    send: ({ key, hold }) => {
      sent.push(key)
      return key === 'creation' ? refusal.promise : hold(new Promise(() => undefined))
    },
  })
  log.add({ key: 'creation', queueKey: 'new', label: '', payload: ['a'] })
  await nextTurn()
  refusal.reject(new Error('Too long'))
  await nextTurn()
  log.add({ key: 'timer', queueKey: 'timer', label: '', payload: ['a'] })
  while (log.entries[1]?.state !== 'held') await nextTurn()
  log.retry('creation')
  await nextTurn()
  assert.deepEqual(sent, ['creation', 'timer', 'creation'])
})

/** A storage in memory. Each write is one transaction. */
function createStorage() {
  const stored = new Set<string>()
  const storage = { isFull: false, transactions: [] as string[] }
  const write: LogOptions['write'] = async (puts, deletedKeys) => {
    if (storage.isFull && puts.length > 0) throw new Error('QuotaExceededError')
    for (const { key } of puts) stored.add(key)
    for (const key of deletedKeys) stored.delete(key)
    storage.transactions.push([...stored].join())
  }
  return Object.assign(storage, { write, stored })
}

const text = (key: string, replacedKeys: readonly string[] = []) => {
  return { key, queueKey: 'a', label: '', payload: [], replacedKeys }
}

test('replaces a refused text by a newer one in one transaction', async () => {
  const storage = createStorage()
  const { log, answer, reverted } = createLog({ write: storage.write })
  const refusal = { reason: 'Too long', text: 'long' }
  log.resume([{ ...text('long'), madeAt: Date.now(), turn: 1, refusal }])
  storage.stored.add('long')
  log.add(text('short', ['long']))
  const keys = () => log.entries.map(({ key }) => key)
  assert.deepEqual(keys(), ['short'])
  await nextTurn()
  assert.deepEqual(storage.transactions, ['short'])
  await answer('short')
  assert.deepEqual([keys(), [...storage.stored], reverted], [[], [], []])
})

test('keeps a replaced text in the storage while that cannot store the newer one', async () => {
  const storage = createStorage()
  const { log, answer } = createLog({ write: storage.write })
  const refusal = { reason: 'Too long', text: 'long' }
  log.resume([{ ...text('long'), madeAt: Date.now(), turn: 1, refusal }])
  storage.stored.add('long')
  storage.isFull = true
  log.add(text('short', ['long']))
  await nextTurn()
  assert.deepEqual([...storage.stored], ['long'])
  assert.equal(log.entries[0]?.storage, 'failed')
  await answer('short')
  assert.deepEqual([...storage.stored], [])
})

test('sends a text that is to be replaced, and drops it if it is refused then', async () => {
  const storage = createStorage()
  const refusal = Promise.withResolvers<void>()
  const { log, sent, reverted } = createLog({
    write: storage.write,
    textOf: () => 'long',
    send: ({ key }) => (key === 'long' ? refusal.promise : Promise.resolve()),
  })
  log.add(text('long'))
  await nextTurn()
  log.add(text('short', ['long']))
  await nextTurn()
  assert.deepEqual([...storage.stored], ['long', 'short'])
  refusal.reject(new Error('Too long'))
  await nextTurn()
  assert.deepEqual([sent(), reverted, [...storage.stored]], [['short'], ['long'], ['short']])
  assert.deepEqual(
    log.entries.map(({ key }) => key),
    ['short'],
  )
})

test('stores a refusal and what a retry sends on top of it in one transaction', async () => {
  const stored: unknown[] = []
  const { log } = createLog({
    write: async (puts) => {
      for (const { payload, refusal } of puts) stored.push([payload, refusal?.reason])
    },
    textOf: () => 'mine',
    rebase: () => ['theirs'],
    send: () => Promise.reject(new Error('Changed meanwhile')),
  })
  log.add(text('mine'))
  while (log.entries[0]?.state !== 'unsaved') await nextTurn()
  // A page that crashed between the two would send it on top of what nobody was asked about.
  assert.deepEqual(stored, [
    [[], undefined],
    [['theirs'], 'Changed meanwhile'],
  ])
})

test('asks about an old mutation whose record is gone, and drops an invalid one', async () => {
  const statusOf: Record<string, number> = { gone: 404, hidden: 403, invalid: 422 }
  const { log, reverted } = createLog({
    send: async ({ key }) => {
      const body = { code: key, message: key, details: [], request_id: '' }
      throw new ApiResponseError(statusOf[key] ?? 500, body)
    },
  })
  log.resume(
    Object.keys(statusOf).map((key, turn) => ({
      key,
      queueKey: key,
      label: key,
      payload: [],
      turn,
      madeAt: Date.now(),
    })),
  )
  while (log.entries.some(({ state }) => state !== 'unsaved')) await nextTurn()
  assert.deepEqual(
    log.entries.map(({ key, refusal }) => [key, refusal?.reason]),
    [
      ['gone', 'gone'],
      ['hidden', 'hidden'],
    ],
  )
  assert.deepEqual(reverted, ['invalid'])
})

test('cancels a mutation that the server has refused, but not while it is sent again', async () => {
  let answer = Promise.withResolvers<void>()
  const { log } = createLog({ textOf: () => 'mine', send: () => answer.promise })
  const stateOf = () => log.entries[0]?.state
  log.add(text('mine'))
  await nextTurn()
  assert.equal(log.cancel('mine'), false)
  answer.reject(new Error('Too long'))
  while (stateOf() !== 'unsaved') await nextTurn()
  answer = Promise.withResolvers()
  log.retry('mine')
  while (stateOf() !== 'sending') await nextTurn()
  assert.equal(log.cancel('mine'), false)
  answer.reject(new Error('Too long'))
  while (stateOf() !== 'unsaved') await nextTurn()
  assert.equal(log.cancel('mine'), true)
  assert.deepEqual(log.entries, [])
})

const entry = (key: string): MutationEntry<string> => {
  return { key, queueKey: 'a', label: '', payload: '', madeAt: 0, turn: 0 }
}

/** A storage that fails while `isBroken`, and the keys that each write puts and deletes. */
function createBreakableStorage() {
  const writes: { puts: string[]; deletes: readonly string[] }[] = []
  const state = { isBroken: false }
  const storage = new OrderedStorage<string>({
    async write(puts, deletes) {
      if (state.isBroken) throw new Error('QuotaExceededError')
      writes.push({ puts: puts.map(({ key }) => key), deletes })
    },
  })
  return { storage, state, writes }
}

test('repeats a failed deletion with the next writes until one succeeds', async () => {
  const { storage, state, writes } = createBreakableStorage()
  state.isBroken = true
  assert.equal(await storage.write([], ['discarded']), false)
  assert.equal(await storage.write([], ['canceled']), false)
  state.isBroken = false
  assert.equal(await storage.write([entry('new')], []), true)
  assert.equal(await storage.write([entry('newer')], []), true)
  assert.deepEqual(writes, [
    { puts: ['new'], deletes: ['discarded', 'canceled'] },
    { puts: ['newer'], deletes: [] },
  ])
})

test('repeats only the deletion of a failed write, and not if the entry is stored again', async () => {
  const { storage, state, writes } = createBreakableStorage()
  state.isBroken = true
  assert.equal(await storage.write([entry('new')], ['replaced', 'restored']), false)
  state.isBroken = false
  assert.equal(await storage.write([entry('restored')], []), true)
  assert.deepEqual(writes, [{ puts: ['restored'], deletes: ['replaced'] }])
})
