import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMigratedDatabase } from '../../support/engines/test-database.ts'
import { runEventLogExperiment } from './event-log.ts'

// The tests run concurrently: after a kill they mostly wait, at most for a lease.
suite('events while servers are killed', { concurrency: 2 }, () => {
  test('each change has exactly its events, in the event log and at the receivers', async () => {
    const { events, kills, wrong } = await runEventLogExperiment({
      operations: 120,
      killEvery: 100,
    })
    assert.deepEqual(wrong, [])
    assert.ok(kills > 0 && events > 80, `${kills} kills, ${events} events`)
  })

  test('each change has exactly its events with two servers on one PostgreSQL', async () => {
    const { url: databaseUrl } = await createMigratedDatabase()
    const options = { operations: 120, killEvery: 80, servers: 2, databaseUrl }
    const { events, kills, wrong } = await runEventLogExperiment(options)
    assert.deepEqual(wrong, [])
    assert.ok(kills > 0 && events > 50, `${kills} kills, ${events} events`)
  })
})
