import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { endOfMinute, type NamedLimit, type SpendResult } from './memory-counter.ts'
import { createSharedCounter, createStoreClock, type RateLimitStore } from './shared-counter.ts'

const MINUTE_MS = 60_000
/** The wall clock of these tests stands still, so that no minute turns. */
const NOW = 1_800_000_030_000

/** A store whose answers a test holds back; it counts like a real one. */
function createHeldStore(processes: number | undefined) {
  const used = new Map<string, number>()
  const state = {
    calls: 0,
    reports: 0,
    answered: Promise.resolve(),
    added: Promise.resolve(),
    health: [] as string[],
  }
  const store: RateLimitStore = {
    timeoutMs: 100,
    async take(asked) {
      state.calls += 1
      await state.answered
      return asked.map(({ name, limit, sublimit, wanted }) => {
        const before = used.get(name) ?? 0
        const sublimitBefore = (sublimit && used.get(sublimit.name)) ?? 0
        const sublimitLeft = sublimit ? sublimit.limit - sublimitBefore : wanted
        const taken = Math.min(wanted, sublimitLeft, Math.max(0, limit - before))
        used.set(name, before + taken)
        if (sublimit) used.set(sublimit.name, sublimitBefore + taken)
        return { used: before + taken, sublimitUsed: sublimitBefore + taken, taken }
      })
    },
    async report(counts) {
      state.reports += 1
      await state.answered
      if (counts.length > 0) await state.added
      return counts.map(({ name, count }) => {
        const total = (used.get(name) ?? 0) + count
        used.set(name, total)
        return total
      })
    },
    ...(processes !== undefined && { countProcesses: () => processes }),
  }
  const listener = {
    onLost: () => state.health.push('lost'),
    onRecovered: () => state.health.push('found'),
  }
  const counter = createSharedCounter(
    store,
    listener,
    () => NOW,
    () => nextTurn(),
  )
  const end = endOfMinute(NOW + MINUTE_MS)
  const spendManyAt = (end: number, name: string, times: number, limit: number) =>
    Promise.all(Array.from({ length: times }, () => counter.spend({ name, end, limit })))
  const spendMany = (name: string, times: number, limit: number, sublimit?: NamedLimit) =>
    Promise.all(Array.from({ length: times }, () => counter.spend({ name, end, limit, sublimit })))
  return { state, used, spendMany, spendManyAt }
}

const admitted = (spent: readonly SpendResult[]) =>
  spent.filter(({ refusedBy }) => !refusedBy).length

test('a process admits its share of what is left while the store is gone, and tells it later', async () => {
  const { state, used, spendMany } = createHeldStore(4)
  await spendMany('a', 20, 100)
  const { promise, resolve } = Promise.withResolvers<void>()
  state.answered = promise
  assert.equal(admitted(await spendMany('a', 90, 100)), 20)
  assert.deepEqual(state.health, ['lost'])
  const { calls } = state
  assert.equal(admitted(await spendMany('b', 50, 100)), 25)
  assert.equal(admitted(await spendMany('a', 10, 100)), 0)
  assert.equal(state.calls, calls, 'nothing waits for a store that is gone')
  resolve()
  await waitUntil('the store is back', () => state.health.at(-1) === 'found')
  // The call that was given up has counted all 80 that were left.
  await waitUntil('the store knows', () => used.get('a') === 100 && used.get('b') === 25)
  assert.equal(admitted(await spendMany('b', 100, 100)), 75)
})

test('in the minute of the loss, a process admits little of a limit of which it has not heard', async (t) => {
  // What was heard counts for two seconds, and this process may stand still for longer.
  stopPerformanceClock(t)
  const { state, spendManyAt } = createHeldStore(4)
  const [thisMinute, nextMinute] = [endOfMinute(NOW), endOfMinute(NOW + MINUTE_MS)]
  await spendManyAt(thisMinute, 'heard', 20, 160)
  const { promise, resolve } = Promise.withResolvers<void>()
  state.answered = promise
  assert.equal(admitted(await spendManyAt(thisMinute, 'heard', 100, 160)), (160 - 20) / 4)
  assert.equal(admitted(await spendManyAt(thisMinute, 'unheard', 100, 160)), 160 / 16)
  assert.equal(admitted(await spendManyAt(nextMinute, 'unheard', 100, 160)), 160 / 4)
  resolve()
  await waitUntil('the store is back', () => state.health.at(-1) === 'found')
})

test('a process hears what others have taken when the store is back', async () => {
  const { state, used, spendMany } = createHeldStore(2)
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  state.answered = first.promise
  await spendMany('first', 1, 100)
  assert.equal(admitted(await spendMany('a', 10, 100)), 10)
  used.set('a', 60)
  first.resolve()
  await waitUntil('the store is back', () => state.health.at(-1) === 'found')
  assert.equal(used.get('a'), 70)
  state.answered = second.promise
  await spendMany('second', 1, 100)
  assert.equal(admitted(await spendMany('a', 50, 100)), (100 - 70) / 2)
  second.resolve()
  await waitUntil('the store is back again', () => state.health.at(-1) === 'found')
})

test('a process admits its share of a sublimit while the store is gone', async () => {
  const { state, used, spendMany } = createHeldStore(4)
  const key = { name: 'key', limit: 20 }
  const { promise, resolve } = Promise.withResolvers<void>()
  await spendMany('a', 4, 100, key)
  state.answered = promise
  const refused = (spent: readonly SpendResult[], by: SpendResult['refusedBy']) =>
    spent.filter(({ refusedBy }) => refusedBy === by).length
  const capped = await spendMany('a', 10, 100, key)
  assert.deepEqual([admitted(capped), refused(capped, 'sublimit')], [4, 6])
  const others = await spendMany('a', 30, 100)
  assert.deepEqual([admitted(others), refused(others, 'limit')], [20, 10])
  assert.equal(refused(await spendMany('a', 1, 100, key), 'limit'), 1)
  resolve()
  await waitUntil('the store is back', () => state.health.at(-1) === 'found')
  // The call that was given up has counted all ten of the key, four of which were admitted.
  await waitUntil('the store knows', () => used.get('a') === 28 && used.get('key') === 14)
  assert.equal(admitted(await spendMany('a', 10, 100, key)), 6)
})

test('a store that is lost again during a report is told each count once', async () => {
  const { state, used, spendMany } = createHeldStore(1)
  const [answer, again] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  state.answered = answer.promise
  await spendMany('a', 1, 100)
  state.added = first.promise
  assert.equal(admitted(await spendMany('a', 10, 100)), 10)
  const { reports } = state
  answer.resolve()
  // The store answers, and has not added the count of `a` yet.
  await waitUntil('the count is reported', () => state.reports > reports)
  assert.equal(admitted(await spendMany('b', 10, 100)), 10)
  state.added = second.promise
  first.resolve()
  await waitUntil('the store is back', () => state.health.at(-1) === 'found')
  state.answered = again.promise
  await spendMany('c', 1, 100)
  assert.deepEqual(state.health, ['lost', 'found', 'lost'])
  state.answered = Promise.resolve()
  // By then, a wrong counter has reported a second time.
  for (let turn = 0; turn < 100; turn += 1) await nextTurn()
  again.resolve()
  second.resolve()
  await waitUntil('the store is back again', () => state.health.at(-1) === 'found')
  await waitUntil('it has all counts', () => used.get('b') !== undefined && used.get('c') === 1)
  assert.deepEqual([used.get('a'), used.get('b')], [11, 10])
})

test('a store without which nothing works refuses while it is gone', async () => {
  const { state, spendMany } = createHeldStore(undefined)
  const { promise, resolve } = Promise.withResolvers<void>()
  state.answered = promise
  await assert.rejects(spendMany('a', 1, 10), { status: 503, code: 'unavailable' })
  resolve()
  await waitUntil('the store is back', () => state.health.at(-1) === 'found')
  assert.equal(admitted(await spendMany('a', 20, 10)), 9, 'the late answer has counted one')
})

test('a process that is late itself does not give the store up', async () => {
  const { state, spendMany } = createHeldStore(4)
  const { promise, resolve } = Promise.withResolvers<void>()
  state.answered = promise
  const spending = spendMany('a', 50, 40)
  // The answer arrives while the process is busy for longer than the store may take. Timers that
  // ended meanwhile run before it is read.
  await waitUntil('the request to the store', () => state.calls === 1)
  setImmediate(() => {
    void stat(import.meta.filename).then(() => resolve())
    const until = performance.now() + 500
    while (performance.now() < until);
  })
  assert.equal(admitted(await spending), 40)
  assert.deepEqual(state.health, [])
})

const HOUR_MS = 3_600_000
const NOON = Date.UTC(2026, 0, 1, 12)

test('the clock of a store replaces the own one, and no late answer sets it back', () => {
  let own = NOON
  const { now, follow } = createStoreClock(() => own)
  assert.equal(now(), NOON)
  follow(NOON + HOUR_MS)
  // The time of the process goes on meanwhile, so that nothing is the exact time.
  assert.ok(now() >= NOON + HOUR_MS)
  own -= HOUR_MS
  assert.ok(now() >= NOON + HOUR_MS, 'a jump of the own clock changes nothing')
  follow(NOON + HOUR_MS - 1_000)
  assert.ok(now() >= NOON + HOUR_MS, 'the answer was late')
  follow(NOON + 2 * HOUR_MS)
  assert.ok(now() >= NOON + 2 * HOUR_MS)
  follow(NOON)
  assert.ok(now() < NOON + HOUR_MS, 'the clock of the store was set back')
})
