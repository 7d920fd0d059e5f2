import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '../support/engines/test-docket.ts'
import { openHistoryDocket, openHistoryDocketPair } from './history-docket.ts'
import type { HistoryDocket } from './history-world.ts'
import { type HistoryOptions, runHistory } from './run-histories.ts'

// The long form is main.ts.
const { CHANGES_HISTORIES, CHANGES_SEED = '1', CHANGES_STEPS = '40' } = process.env
/** Background jobs look at every workspace, so that databases with many are slow. */
const HISTORIES_PER_DATABASE = 50
const [firstSeed, steps] = [Number(CHANGES_SEED), Number(CHANGES_STEPS)]

for (const engine of ENGINES) {
  test(`copies equal the lists in every random history (${engine})`, async (t) => {
    const histories = Number(CHANGES_HISTORIES ?? { sqlite: 4, postgres: 2 }[engine])
    const result = await runHistories(() => openHistoryDocket(engine), histories, {})
    t.diagnostic(result.counts)
    assert.deepEqual(result.failures, [])
  })
}

test('copies equal the lists while two servers write to one PostgreSQL at once', async (t) => {
  if (!ENGINES.includes('postgres')) return
  const histories = Number(CHANGES_HISTORIES ?? 1)
  const result = await runHistories(openHistoryDocketPair, histories, { concurrency: 4 })
  t.diagnostic(result.counts)
  assert.deepEqual(result.failures, [])
})

async function runHistories(
  open: () => Promise<HistoryDocket>,
  histories: number,
  options: Partial<HistoryOptions>,
): Promise<{ failures: string[]; counts: string }> {
  const sums = { histories: 0, accepted: 0, rejected: 0, comparisons: 0 }
  const failures: string[] = []
  let docket = await open()
  for (let done = 0; done < histories; done += 1) {
    if (done > 0 && done % HISTORIES_PER_DATABASE === 0) docket = await open()
    const seed = firstSeed + done
    // Streams wait for signals, which takes longer than reading pages. While several things happen at once,
    // a page of the web app loads its tasks between writes.
    const variant = { streams: seed % 5 === 2, concurrency: seed % 4 === 0 ? 4 : 1 }
    const result = await runHistory(docket, seed, { steps, ...variant, ...options })
    sums.histories += 1
    for (const name of ['accepted', 'rejected', 'comparisons'] as const) sums[name] += result[name]
    if (result.faults.length === 0) continue
    failures.push(`seed ${seed}: ${result.faults.join('\n')}`)
    // At once, because a long run may be ended before its report.
    if (CHANGES_HISTORIES !== undefined) console.log(failures.at(-1))
  }
  return { failures, counts: `first seed ${firstSeed}, ${JSON.stringify(sums)}` }
}
