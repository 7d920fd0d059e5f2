import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopUnderLoad } from '../experiments/deploys/drain.ts'

test('a stop by SIGTERM under load fails no request and exits with 0', async () => {
  const { sent, failed, exits } = await stopUnderLoad({ rounds: 1 })
  assert.deepEqual(failed, [])
  assert.deepEqual(exits, [0])
  assert.ok(sent > 30, `${sent} requests`)
})

test('control: a server that drops its open requests fails some', async () => {
  const { failed } = await stopUnderLoad({
    rounds: 1,
    entry: 'test/support/controls/abrupt-shutdown.ts',
  })
  assert.ok(failed.length > 0)
})
