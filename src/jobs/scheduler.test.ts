import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { startScheduler } from './scheduler.ts'

test('repeats steps while there is more to do and starts another round', async () => {
  let remaining = 3
  let steps = 0
  const step = async () => {
    steps += 1
    remaining -= 1
    return remaining > 0
  }
  const rounds = startScheduler([{ name: 'few', intervalMs: 5, run: step }], assert.fail)
  await waitUntil('a second round', () => remaining < 0)
  await rounds.stop()
  const done = steps
  let others = 0
  const other = async () => {
    others += 1
    return false
  }
  const beside = startScheduler([{ name: 'beside', intervalMs: 5, run: other }], assert.fail)
  await waitUntil('other rounds', () => others > 3)
  await beside.stop()
  assert.equal(steps, done, 'nothing runs after the stop')
})

test('reports and retries a failing job without delaying others', async () => {
  const failed: string[] = []
  let others = 0
  const bad = async (): Promise<boolean> => {
    throw new Error('no')
  }
  const good = async () => {
    others += 1
    return false
  }
  const rounds = startScheduler(
    [
      { name: 'bad', intervalMs: 5, run: bad },
      { name: 'good', intervalMs: 5, run: good },
    ],
    (name) => failed.push(name),
  )
  await waitUntil('more of both', () => failed.length > 1 && others > 1)
  await rounds.stop()
  assert.ok(failed.every((name) => name === 'bad'))
})

test('stop waits for the running step', async () => {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const order: string[] = []
  const step = async () => {
    begun.resolve()
    await released.promise
    order.push('the step')
    return true
  }
  const rounds = startScheduler([{ name: 'slow', intervalMs: 1, run: step }], assert.fail)
  await begun.promise
  const stopped = rounds.stop().then(() => order.push('the stop'))
  // A stop that did not wait would resolve within this turn of the event loop.
  await setImmediate()
  released.resolve()
  await stopped
  assert.deepEqual(order, ['the step', 'the stop'])
})
