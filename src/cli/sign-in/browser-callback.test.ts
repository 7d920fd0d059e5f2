import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenForCallback } from './oauth-client.ts'

test('the sign-in callback times out after five minutes', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { result, close } = await listenForCallback('state', async () => 'came')
  t.after(close)
  const outcome = result.catch((error: Error) => error.message)
  t.mock.timers.tick(299_999)
  assert.equal(await Promise.race([outcome, Promise.resolve('waits')]), 'waits')
  t.mock.timers.tick(1)
  assert.match(await outcome, /within five minutes/)
})
