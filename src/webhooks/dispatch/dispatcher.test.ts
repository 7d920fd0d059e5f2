import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES, testLog } from '#test/support/engines/test-docket.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { startDispatcher } from './dispatcher.ts'

for (const engine of ENGINES) {
  test(`a quiet dispatcher retries an attempt when it is due, not at its next poll (${engine})`, async (t) => {
    const { storage, team, send } = await openTestClient(engine)
    const attempts: number[] = []
    const dispatcher = await startDispatcher({
      storage,
      rules: { retrySeconds: [1], disableAfterAttempts: 100, disableAfterSeconds: 100 },
      log: testLog,
      load: { requests: 0 },
      observer: { onAttempt() {}, onDisabled() {} },
      decrypt: () => 'a secret',
      async send() {
        attempts.push(performance.now())
        const failed = attempts.length === 1
        return {
          status: failed ? 500 : 204,
          body: '',
          error: failed ? 'http_status' : null,
          duration_ms: 1,
          retry_after: null,
        }
      },
    })
    t.after(() => dispatcher.stop())
    await send('POST /api/v1/webhooks', { url: 'https://example.com/hook', events: ['*'] })
    await send('POST /api/v1/tasks', { project_id: team.project, title: 'Ship it' })
    await waitUntil('the retry', () => attempts.length === 2)
    const [first = 0, second = 0] = attempts
    assert.ok(second - first < 5_000, `${second - first} ms`)
  })
}
