import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../src/config.ts'
import { misses } from './figures.ts'
import { startBare, startDocket } from './processes.ts'
import { compareWithBare } from './ratio.ts'
import { type Seeded, seed } from './seed.ts'

/** Is Docket fast enough? All parts, or those named: `npm run bench -- ratio scale`. */
const homes: string[] = []
const home = await filled(1_000)
const bare = await startBare()
const docket = await startDocket(home.dataDir)
await compareWithBare(bare, docket, home.seeded)
await docket.stop()
await bare.stop()
for (const dir of homes) rmSync(dir, { recursive: true, force: true })
if (misses() > 0) console.log(`${misses()} goals were missed.`)

async function filled(size: number): Promise<{ dataDir: string; seeded: Seeded }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  homes.push(dataDir)
  const { storage } = await openStore(configFrom({ DOCKET_DATA_DIR: dataDir }))
  const seeded = await seed(storage, size)
  await storage.close()
  return { dataDir, seeded }
}
