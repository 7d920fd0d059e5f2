import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { runFuzz } from './run-fuzz.ts'

const { FUZZ_REQUESTS = '1000', FUZZ_SEED = '1', FUZZ_LANES = '0,1,2,3' } = process.env
const seed = Number(FUZZ_SEED)
const lanes = FUZZ_LANES.split(',').map(Number)

test('answers every fuzzed request as specified, and alike on both engines', async (t) => {
  t.diagnostic(`seed ${seed}`)
  const deps = { clock: createTestClock() }
  const pair = [
    await openTestDocket('sqlite', {}, deps),
    await openTestDocket('postgres', {}, deps),
  ] as const
  const { faults, statuses, ...rest } = await runFuzz(pair, deps.clock, {
    requests: Number(FUZZ_REQUESTS),
    seed,
    lanes,
  })
  t.diagnostic(JSON.stringify({ ...rest, statuses }))
  assert.deepEqual(faults, [])
  assert.ok((statuses[200] ?? 0) + (statuses[201] ?? 0) > rest.requests / 5, 'many are accepted')
})
