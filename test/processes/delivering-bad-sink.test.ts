import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badSink, failing90, mixed } from '../experiments/bad-sink.ts'

test('a sink that fails nine times of ten gets everything in order, and kills lose nothing', async () => {
  const { attempts, kills, wrong } = await badSink({
    ...{ events: 250, plan: failing90, killEvery: 600 },
  })
  assert.deepEqual(wrong, [])
  assert.ok(kills > 0, `${kills} kills`)
  assert.ok(attempts > 1_250, `${attempts} attempts`)
})

test('so does one that resets, hangs, drips, redirects, floods and asks to come later', async () => {
  const { mostMemory, wrong } = await badSink({ events: 150, plan: mixed, timeoutSeconds: 2 })
  assert.deepEqual(wrong, [])
  assert.ok(mostMemory < 512, `${mostMemory} MiB`)
})

test('a server that marks deliveries as done before it sends them is found out', async () => {
  const entry = 'test/support/early-done.ts'
  const plan = () => 'ok' as const
  const { wrong } = await badSink({ events: 300, plan, killEvery: 50, entry, patience: 1_000 })
  assert.match(wrong.join('\n'), /of 300 came/)
})
