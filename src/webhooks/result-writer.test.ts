import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testLog } from '#test/support/engines/test-docket.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import type { DeliveryAttempt } from './attempts.ts'
import { ResultWriter } from './results.ts'

const attemptOf = (id: string): DeliveryAttempt => ({
  delivery: {
    id,
    queue: 1,
    event_id: `evt_${id}`,
    event_type: 'task.updated',
    attempt_count: 0,
    lane: null,
    is_test: 0,
    created_at: '2026-01-01T00:00:00.000Z',
  },
  webhook_id: 'whk_1',
  activation: 1,
  number: 1,
  startedAt: 0,
  url: 'https://example.com/hook',
  headers: {},
  isUnsendable: false,
  status: 204,
  body: '',
  error: null,
  duration_ms: 1,
  retry_after: null,
})

test('what follows a record may fail, and the next attempt is recorded all the same', async () => {
  const first = Promise.withResolvers<void>()
  const written: string[] = []
  let writes = 0
  const writer = new ResultWriter({
    claim: {
      async writeAsHolder() {
        writes += 1
        if (writes === 1) await first.promise
        return undefined
      },
    },
    rules: { retrySeconds: [], disableAfterAttempts: 1, disableAfterSeconds: 1 },
    log: testLog,
    onWritten(attempts) {
      written.push(...attempts.map(({ delivery }) => delivery.id))
      throw new Error('a metric')
    },
  })
  writer.add(attemptOf('1'))
  await waitUntil('the first write', () => writes === 1)
  writer.add(attemptOf('2'))
  first.resolve()
  await waitUntil('the end', () => writer.isIdle)
  assert.deepEqual(written, ['1', '2'])
  assert.equal(writes, 2)
})
