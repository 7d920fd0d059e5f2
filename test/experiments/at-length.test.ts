import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { runSimulations } from '../delivery/simulation.ts'
import { runFuzz } from '../fuzz/run-fuzz.ts'
import { stopUnderLoad } from '../processes/drain.ts'
import { runEventLogExperiment } from '../processes/event-log/event-log.ts'
import { killUnderLoad } from '../processes/kill-under-load.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'

/* What npm test runs for a short time. */

async function simulate(path: string, runs: number): Promise<void> {
  await promisify(execFile)(process.execPath, [path, '--runs', String(runs)])
}

test('keeps every acknowledged write exactly once over thirty kills', async () => {
  assert.deepEqual((await killUnderLoad({ rounds: 30 })).wrong, [])
})

test('fails no request over ten stops', async () => {
  const { failed, exits } = await stopUnderLoad(10)
  assert.deepEqual([failed, new Set(exits)], [[], new Set([0])])
})

test('each change has exactly its events over many kills', async () => {
  const { wrong, kills } = await runEventLogExperiment({ operations: 5_000, killEvery: 500 })
  assert.deepEqual(wrong, [])
  assert.ok(kills > 3, `${kills} kills`)
})

test('delivers every event once and in order, by a thousand seeds', async () => {
  assert.deepEqual((await runSimulations(1, 1_000)).wrong, {})
})

test('the local replica is exact, by 50,000 seeds', () =>
  simulate('test/replica/replica-simulation.ts', 50_000))

test('sends every write once or shows it as unsaved, by 300 seeds', () =>
  simulate('test/sync/sync-simulation.ts', 300))

test('answers 30,000 fuzzed requests as specified, and alike on both engines', async () => {
  const clock = createTestClock()
  const pair = [
    await openTestDocket('sqlite', {}, { clock }),
    await openTestDocket('postgres', {}, { clock }),
  ] as const
  const seed = Number(process.env.TEST_SEED ?? 2)
  const lanes = [0, 1, 2, 3, 4, 5, 6, 7]
  assert.deepEqual((await runFuzz(pair, clock, { requests: 30_000, seed, lanes })).faults, [])
})
