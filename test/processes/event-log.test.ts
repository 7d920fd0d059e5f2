import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { runEventLogExperiment } from '../experiments/events/event-log.ts'
import { createMigratedDatabase } from '../support/engines/test-database.ts'

// The tests run concurrently: after a kill they mostly wait, at most for a lease.
suite('events while servers are killed', { concurrency: 2 }, () => {
  test('each change has exactly its events, in the event log and at the receivers', async () => {
    const { events, kills, wrong } = await runEventLogExperiment({
      operations: 200,
      killEvery: 200,
    })
    assert.deepEqual(wrong, [])
    assert.ok(kills > 0 && events > 140, `${kills} kills, ${events} events`)
  })

  test('each change has exactly its events with two servers on one PostgreSQL', async () => {
    const { url: databaseUrl } = await createMigratedDatabase()
    const options = { operations: 180, killEvery: 110, servers: 2, databaseUrl }
    const { events, kills, wrong } = await runEventLogExperiment(options)
    assert.deepEqual(wrong, [])
    assert.ok(kills > 0 && events > 80, `${kills} kills, ${events} events`)
  })

  test('control: a server that emits events after the commit loses some', async () => {
    const entry = 'test/support/controls/event-after-commit.ts'
    const { wrong } = await runEventLogExperiment({
      operations: 150,
      killEvery: 50,
      minKills: 2,
      entry,
      timeoutMs: 0,
    })
    assert.match(wrong.join('\n'), /none instead of/)
  })
})
