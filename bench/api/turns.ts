import { measureTurns } from '#test/support/server/measure-turns.ts'
import { reportFigure } from '../support/figures.ts'
import { createBenchDir } from '../support/seed.ts'

/** More tasks in bulk reach the limit of 16 MiB for one request. */
const SIZE = {
  tasks: 10_000,
  bulkTrees: 100,
  bulkTreeTasks: 160,
  linkedTasks: 2_000,
  pendingDeliveries: 10_000,
}
const MAX_TURN_MS = 50

/** Measures how long the largest request to each endpoint holds the event loop, in CPU time. */
export async function measureLongestTurns(): Promise<void> {
  const dataDir = createBenchDir()
  const { requests, allTurns } = await measureTurns(dataDir, SIZE)
  for (const { endpoint, longestMs, totalMs } of requests) {
    const what = `${endpoint}: longest turn of ${totalMs.toFixed(0)} ms`
    reportFigure(what, longestMs, { most: MAX_TURN_MS })
  }
  const sorted = allTurns.toSorted((a, b) => a - b)
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
  reportFigure('p99 of all turns in ms', p99, { most: MAX_TURN_MS })
}
