import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { openTestDocket, testLog } from '#test/support/engines/test-docket.ts'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { createOverloadMonitor, SAMPLE_INTERVAL_MS } from './overload.ts'

test('does not take a slow start for overload', async (t) => {
  const { storage } = await openTestDocket('sqlite')
  const authenticator = { findRecentWorkspace: () => undefined }
  const context = { log: testLog, shedsLoad: true, storage, authenticator, isStarting: true }
  t.mock.timers.enable({ apis: ['setInterval'] })
  const clock = stopPerformanceClock(t)
  const server = fastify()
  t.after(() => server.close())
  const monitor = createOverloadMonitor(server, context, { oldestAge: 0 })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const sampleLate = () => {
    clock.pass(1_000)
    t.mock.timers.tick(SAMPLE_INTERVAL_MS)
  }
  for (const _ of ['one', 'two', 'three']) sampleLate()
  assert.ok(!monitor.isShedding)
  context.isStarting = false
  sampleLate()
  assert.ok(!monitor.isShedding, 'after one late sample')
  sampleLate()
  assert.ok(monitor.isShedding, 'after two of them')
})
