import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const SIMULATION = join(import.meta.dirname, 'sync-simulation.ts')

test('sends every write once or shows it as unsaved, and overwrites nothing unseen', async () => {
  // In a process of its own: the hooks of node:test make its many promises five times slower.
  await promisify(execFile)(process.execPath, [SIMULATION, '--runs', '80'])
})
