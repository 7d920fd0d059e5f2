import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSyncSimulations } from './sync-simulation.ts'

test('sends every write once or shows it as unsaved, and overwrites nothing unseen', async () => {
  assert.deepEqual(await runSyncSimulations(1, 200), {})
})
