import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failInEveryWay, failNineOfTen, sendToFailingReceiver } from './failing-receiver.ts'

test('delivers every event in order to a receiver that fails nine times of ten, despite kills', async () => {
  const { attempts, kills, wrong } = await sendToFailingReceiver({
    events: 40,
    plan: failNineOfTen,
    killEvery: 120,
  })
  assert.deepEqual(wrong, [])
  assert.ok(kills > 0, `${kills} kills`)
  assert.ok(attempts > 200, `${attempts} attempts`)
})

test('delivers every event to a receiver that resets, hangs, drips, redirects and floods', async () => {
  const { peakMemoryMiB, wrong } = await sendToFailingReceiver({
    events: 60,
    plan: failInEveryWay,
    timeoutSeconds: 2,
  })
  assert.deepEqual(wrong, [])
  assert.ok(peakMemoryMiB < 512, `${peakMemoryMiB} MiB`)
})
