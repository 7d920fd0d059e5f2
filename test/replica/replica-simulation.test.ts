import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

// In a process of its own: the hooks of node:test make its many promises five times slower.
const simulate = (...words: string[]) =>
  promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'replica-simulation.ts'),
    ...words,
  ])

test('holds and lists the records of the server, whatever fails', async () => {
  await simulate('--runs', '1500')
})
