import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copied } from '../experiments/stop-copy.ts'

test('whatever the instant, the files hold what was acknowledged until then', async () => {
  const { acks, wrong } = await copied(14)
  assert.deepEqual(wrong, [])
  assert.ok(acks > 50, `${acks} writes`)
})

test('files of a server that answers before it commits are found out', async () => {
  const { wrong } = await copied(200, 'test/support/early-reply.ts')
  assert.match(wrong.join('\n'), /lost: /)
})
