import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '#storage/open.ts'
import { createTestClock } from '#test/support/clock.ts'
import { configFrom } from '../src/config.ts'
import { measureDelivery } from './delivery.ts'
import { misses } from './figures.ts'
import { measureFootprint } from './footprint.ts'
import { measureWaiting } from './index.ts'
import { measureLimits } from './limits.ts'
import { MOVED_TASKS, measureMove } from './move.ts'
import { measureNeighbours } from './neighbours.ts'
import { measureOverload } from './overload.ts'
import { measureParts } from './parts.ts'
import { compareWithPgbench } from './postgres.ts'
import { startBare, startDocket } from './processes.ts'
import { compareWithBare } from './ratio.ts'
import { measureRefreshes } from './refreshes.ts'
import { measureReports } from './reports.ts'
import { compareSizes } from './scale.ts'
import { type Seeded, seed } from './seed.ts'
import { compareCredentials } from './sessions.ts'
import { compareProcesses } from './sharing.ts'
import { measureSizes } from './sizes.ts'
import { compareTracing } from './traces.ts'
import { measureWeb } from './web.ts'

/** Is Docket fast enough? All parts, or those named: `npm run bench -- ratio scale`. */
const PARTS: Record<string, () => Promise<void>> = {
  async ratio() {
    const { dataDir, seeded } = await filled(1_000)
    const [bare, docket] = [await startBare(), await startDocket(dataDir)]
    await compareWithBare(bare, docket, seeded)
    await Promise.all([bare.stop(), docket.stop()])
  },
  async scale() {
    const [less, more] = [await filled(1_000), await filled(100_000)]
    const small = { docket: await startDocket(less.dataDir), seeded: less.seeded }
    const large = { docket: await startDocket(more.dataDir), seeded: more.seeded }
    await compareSizes(small, large)
    await Promise.all([small.docket.stop(), large.docket.stop()])
    await measureFootprint(more.dataDir, more.seeded)
  },
  async traces() {
    const { dataDir, seeded } = await filled(1_000)
    await compareTracing(dataDir, seeded)
  },
  neighbours: measureNeighbours,
  overload: measureOverload,
  sessions: compareCredentials,
  refreshes: measureRefreshes,
  waiting: measureWaiting,
  reports: measureReports,
  limits: measureLimits,
  postgres: compareWithPgbench,
  processes: compareProcesses,
  sizes: measureSizes,
  parts: measureParts,
  async move() {
    await measureMove((await filled(MOVED_TASKS)).dataDir)
  },
  delivery: measureDelivery,
  web: measureWeb,
}

const homes: string[] = []
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'))
for (const [name, part] of Object.entries(PARTS)) {
  if (asked.length === 0 || asked.includes(name)) await part()
}
for (const dir of homes) rmSync(dir, { recursive: true, force: true })
if (misses() > 0) console.log(`${misses()} goals were missed.`)

async function filled(size: number): Promise<{ dataDir: string; seeded: Seeded }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  homes.push(dataDir)
  const clock = createTestClock()
  const { storage } = await openStore({ ...configFrom({ DOCKET_DATA_DIR: dataDir }), clock })
  const seeded = await seed(storage, size, clock)
  await storage.close()
  return { dataDir, seeded }
}
