import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  holdReadsDuring,
  pauseForRateLimit,
  rateLimitPause,
  waitForRateLimitPause,
  waitForSessionPause,
} from './request-pause.ts'

test('reads wait for all writes that may renew the session, whether they succeed or fail', async () => {
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const written = holdReadsDuring(first.promise)
  let hasRead = false
  const read = waitForSessionPause().then(() => {
    hasRead = true
  })
  await nextTurn()
  const failed = holdReadsDuring(second.promise)
  first.resolve('saved')
  assert.equal(await written, 'saved')
  await nextTurn()
  assert.equal(hasRead, false)
  second.reject(new Error('refused'))
  await assert.rejects(failed, /refused/)
  await read
  await waitForSessionPause()
})

test('a rate limit pauses requests no longer when the clock is set back meanwhile', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const clock = mock.method(Date, 'now', () => 3_600_000)
  pauseForRateLimit(5)
  let hasRead = false
  const read = waitForRateLimitPause().then(() => {
    hasRead = true
  })
  await nextTurn()
  clock.mock.mockImplementation(() => 0)
  mock.timers.tick(5_000)
  await nextTurn()
  assert.equal(hasRead, false)
  mock.timers.tick(10)
  assert.equal(rateLimitPause.get(), 0)
  await nextTurn()
  mock.timers.tick(500)
  await read
  mock.timers.reset()
  clock.mock.restore()
})
