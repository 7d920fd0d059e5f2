import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { until } from '#test/support/delivering.ts'
import { startRounds } from './rounds.ts'

test('a round goes on while there is more to do, and comes again', async () => {
  let left = 3
  let steps = 0
  const step = async () => {
    steps += 1
    left -= 1
    return left > 0
  }
  const rounds = startRounds([{ name: 'few', everyMs: 5, step }], assert.fail)
  await until('a second round', () => left < 0)
  await rounds.stop()
  const done = steps
  let others = 0
  const other = async () => {
    others += 1
    return false
  }
  const beside = startRounds([{ name: 'beside', everyMs: 5, step: other }], assert.fail)
  await until('other rounds', () => others > 3)
  await beside.stop()
  assert.equal(steps, done, 'nothing runs after the stop')
})

test('a chore that fails is reported, holds up no other and is tried again', async () => {
  const failed: string[] = []
  let others = 0
  const bad = async (): Promise<boolean> => {
    throw new Error('no')
  }
  const good = async () => {
    others += 1
    return false
  }
  const rounds = startRounds(
    [
      { name: 'bad', everyMs: 5, step: bad },
      { name: 'good', everyMs: 5, step: good },
    ],
    (name) => failed.push(name),
  )
  await until('more of both', () => failed.length > 1 && others > 1)
  await rounds.stop()
  assert.ok(failed.every((name) => name === 'bad'))
})

test('a stop waits for the step under way', async () => {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const order: string[] = []
  const step = async () => {
    begun.resolve()
    await released.promise
    order.push('the step')
    return true
  }
  const rounds = startRounds([{ name: 'slow', everyMs: 1, step }], assert.fail)
  await begun.promise
  const stopped = rounds.stop().then(() => order.push('the stop'))
  // A stop that did not wait would end within this turn of the loop.
  await setImmediate()
  released.resolve()
  await stopped
  assert.deepEqual(order, ['the step', 'the stop'])
})
