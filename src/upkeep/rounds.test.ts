import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
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
  await pause(150)
  assert.ok(left < 0, 'a second round began')
  await rounds.stop()
  const done = steps
  await pause(30)
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
  await pause(60)
  await rounds.stop()
  assert.ok(failed.length > 1 && failed.every((name) => name === 'bad'))
  assert.ok(others > 1)
})

test('a stop waits for the step under way', async () => {
  let ended = false
  const step = async () => {
    await pause(50)
    ended = true
    return true
  }
  const rounds = startRounds([{ name: 'slow', everyMs: 1, step }], assert.fail)
  await pause(20)
  await rounds.stop()
  assert.equal(ended, true)
})
