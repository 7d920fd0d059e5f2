import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { holdReadsDuring, waitForSessionPause } from './request-pause.ts'

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
