import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { eventful } from '../experiments/events.ts'
import { migratedDatabase } from '../support/store.ts'

// Beside each other: after a kill they wait, for a lease at most.
suite('events of servers that are killed', { concurrency: 2 }, () => {
  test('each change has exactly its events, seen by who follows and by receivers, whatever is killed', async () => {
    const { events, kills, wrong } = await eventful({ operations: 1_000, killEvery: 350 })
    assert.deepEqual(wrong, [])
    assert.ok(kills > 0 && events > 400, `${kills} kills, ${events} events`)
  })

  test('so it is with two servers on one PostgreSQL', async () => {
    const { url: databaseUrl } = await migratedDatabase()
    const how = { operations: 600, killEvery: 200, servers: 2, databaseUrl }
    const { events, kills, wrong } = await eventful(how)
    assert.deepEqual(wrong, [])
    assert.ok(kills > 0 && events > 250, `${kills} kills, ${events} events`)
  })

  test('a server that tells of a change after its commit is found out', async () => {
    const entry = 'test/support/late-events.ts'
    const { wrong } = await eventful({
      operations: 600,
      killEvery: 100,
      leastKills: 3,
      entry,
      patience: 0,
    })
    assert.match(wrong.join('\n'), /none instead of/)
  })
})
