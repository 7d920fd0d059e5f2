import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { fetchOrThrow, recordAnswer } from './fetch-or-throw.ts'
import { orCached } from './fetch-with-cache.ts'
import { NetworkError } from './problem.ts'
import { staleSince } from './reply-cache.ts'

/** Before the server has answered anything, and afterwards. */
const OPENING_TIMEOUT_MS = 400
const ANSWER_TIMEOUT_MS = 4_000
/** What the cache has answered is shown by then. */
const COMMIT_MS = 50

/** A request that is answered by the test, and a cache that tells the age of what it has. */
function startLoading(cached: string | undefined) {
  const answer = Promise.withResolvers<string>()
  const shown = orCached(answer.promise, async () => {
    if (cached !== undefined) staleSince.set(1)
    return cached
  })
  return { answer, shown }
}

/** Passes the timers, and lets everything follow that does not wait for an answer. */
async function passTime(ms: number): Promise<void> {
  mock.timers.tick(ms)
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
}

test('what is cached is shown when no request is answered, until the answer comes', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const first = startLoading('cached')
  await passTime(OPENING_TIMEOUT_MS - 1)
  assert.equal(staleSince.get(), undefined)
  await passTime(1)
  assert.equal(await first.shown, 'cached')

  // While nothing is answered, nothing else is waited for.
  const second = startLoading('cached too')
  await passTime(0)
  assert.equal(await second.shown, 'cached too')
  second.answer.reject(new NetworkError('gone'))
  await passTime(0)
  assert.equal(staleSince.get(), 1)
  // Another answer ends nothing as long as the first request may bring what the cache has answered.
  recordAnswer()
  await passTime(COMMIT_MS)
  assert.equal(staleSince.get(), 1)
  first.answer.resolve('loaded')
  await passTime(0)
  assert.equal(staleSince.get(), 1)
  await passTime(COMMIT_MS)
  assert.equal(staleSince.get(), undefined)

  // A connection that brings nothing does not keep the page from reading again by others.
  const dead = startLoading('cached')
  await passTime(ANSWER_TIMEOUT_MS)
  assert.equal(await dead.shown, 'cached')
  recordAnswer()
  await passTime(ANSWER_TIMEOUT_MS)
  assert.equal(staleSince.get(), 1)
  await passTime(COMMIT_MS)
  assert.equal(staleSince.get(), undefined)
  mock.timers.reset()
})

test('an answer that comes while the cache is read is taken', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const reading = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  const shown = orCached(answer.promise, async () => {
    await reading.promise
    staleSince.set(1)
    return 'cached'
  })
  await passTime(ANSWER_TIMEOUT_MS)
  recordAnswer()
  answer.resolve('loaded')
  reading.resolve()
  assert.equal(await shown, 'loaded')
  await passTime(COMMIT_MS)
  assert.equal(staleSince.get(), undefined)
  mock.timers.reset()
})

test('an answer is waited for if there is no copy, or if the server answers others', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const withoutCopy = startLoading(undefined)
  await passTime(OPENING_TIMEOUT_MS)
  withoutCopy.answer.resolve('late')
  assert.equal(await withoutCopy.shown, 'late')

  const slow = startLoading('cached')
  await fetchOrThrow('data:,other', {})
  await passTime(OPENING_TIMEOUT_MS)
  slow.answer.resolve('loaded')
  assert.equal(await slow.shown, 'loaded')
  assert.equal(staleSince.get(), undefined)

  // A page that is open waits longer, so that it does not show what it has shown before.
  const later = startLoading('cached')
  await passTime(ANSWER_TIMEOUT_MS - 1)
  assert.equal(staleSince.get(), undefined)
  await passTime(1)
  assert.equal(await later.shown, 'cached')
  staleSince.set(undefined)
  mock.timers.reset()
})

test('a lost connection is answered from the cache, and every other error is passed on', async () => {
  const lost = startLoading('cached')
  lost.answer.reject(new NetworkError('gone'))
  assert.equal(await lost.shown, 'cached')
  staleSince.set(undefined)
  for (const [error, cached] of [
    [new NetworkError('gone'), undefined],
    [new TypeError('refused'), 'cached'],
  ] as const) {
    const failing = startLoading(cached)
    failing.answer.reject(error)
    await assert.rejects(failing.shown, error)
  }
})
