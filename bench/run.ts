import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { compareWithBareServer } from './api/bare-server-comparison.ts'
import { measureFootprint } from './api/footprint.ts'
import { measureNoisyNeighbour } from './api/noisy-neighbour.ts'
import { measureOverload } from './api/overload.ts'
import { compareProjectSizes } from './api/project-sizes.ts'
import { measureRateLimits } from './api/rate-limits.ts'
import { measureReports } from './api/reports.ts'
import { compareRequestCosts } from './api/request-costs.ts'
import { measureSharedQueues } from './api/shared-queues.ts'
import { measureLongestTurns } from './api/turns.ts'
import { measureDelivery } from './delivery.ts'
import { countMissedGoals, reportConditions } from './support/figures.ts'
import { multiplyTasks } from './support/multiply-tasks.ts'
import { startBareServer, startDocketProcess } from './support/processes.ts'
import {
  createBenchDir,
  removeBenchDirs,
  type SeededWorkspace,
  seedWorkspace,
} from './support/seed.ts'
import { measureWeb } from './web/web.ts'

/**
 * The benchmarks by name. Runs all of them, or those given: `npm run bench -- ratio scale`. With
 * `--tasks 1000000`, `scale` has that many tasks instead of 100,000.
 */
const PARTS: Record<string, () => Promise<void>> = {
  async ratio() {
    const { dataDir, seeded } = await fillDataDir(1_000)
    const [bare, docket] = [await startBareServer(), await startDocketProcess(dataDir)]
    await compareWithBareServer(bare, docket, seeded)
    await Promise.all([bare.stop(), docket.stop()])
  },
  async scale() {
    const [, amount = '100000'] = /--tasks[ =](\d+)/.exec(process.argv.join(' ')) ?? []
    const [less, more] = [await fillDataDir(1_000), await fillDataDir(100_000)]
    const times = Math.round(Number(amount) / 100_000)
    multiplyTasks(more.dataDir, more.seeded, times)
    const small = { docket: await startDocketProcess(less.dataDir), ...less, tasks: 1_000 }
    const large = {
      docket: await startDocketProcess(more.dataDir),
      ...more,
      tasks: times * 100_000,
    }
    await compareProjectSizes(small, large)
    await Promise.all([small.docket.stop(), large.docket.stop()])
    await measureFootprint(large)
  },
  async costs() {
    const { dataDir, seeded } = await fillDataDir(1_000)
    await compareRequestCosts(dataDir, seeded, process.argv.includes('--record'))
  },
  neighbours: measureNoisyNeighbour,
  overload: measureOverload,
  reports: measureReports,
  queues: measureSharedQueues,
  turns: measureLongestTurns,
  limits: measureRateLimits,
  delivery: measureDelivery,
  web: () => measureWeb(process.argv.slice(2)),
}

const selected = process.argv.slice(2).filter((word) => Object.hasOwn(PARTS, word))
reportConditions()
for (const [name, part] of Object.entries(PARTS)) {
  if (selected.length > 0 && !selected.includes(name)) continue
  await part()
  removeBenchDirs()
}
if (countMissedGoals() > 0) console.log(`${countMissedGoals()} goals were missed.`)

async function fillDataDir(size: number): Promise<{ dataDir: string; seeded: SeededWorkspace }> {
  const dataDir = createBenchDir()
  const clock = createTestClock()
  const { storage } = await openStore({ ...parseConfig({ DOCKET_DATA_DIR: dataDir }), clock })
  const seeded = await seedWorkspace(storage, size, clock)
  await storage.close()
  return { dataDir, seeded }
}
