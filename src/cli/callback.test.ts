import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCallback } from './callback.ts'

test('nobody is waited for longer than five minutes', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { settled, close } = await openCallback('state', async () => 'came')
  t.after(close)
  const outcome = settled.catch((error: Error) => error.message)
  t.mock.timers.tick(299_999)
  assert.equal(await Promise.race([outcome, Promise.resolve('waits')]), 'waits')
  t.mock.timers.tick(1)
  assert.match(await outcome, /within five minutes/)
})
