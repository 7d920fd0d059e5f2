import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDocketProcess } from '../support/processes.ts'
import { compareFeedRead } from './feed-read.ts'
import { seedByCheckout } from './seed-by-checkout.ts'
import { measureSnapshot } from './snapshot.ts'
import { measureStreams } from './streams.ts'
import { compareWriteCost } from './write-cost.ts'

const SNAPSHOT_TASKS = Number(process.env.TASKS ?? 100_000)

/** What the feed of changes costs: each write, each read, a snapshot, and streams that are open. */
export async function measureChanges(): Promise<void> {
  // A checkout of a commit without the feed, with its own node_modules.
  const before = process.env.BENCH_BEFORE
  if (before === undefined)
    console.log('  BENCH_BEFORE names no checkout to compare the cost of writes with')
  else await compareWriteCost(before)
  await withDataDir(async (dataDir) => {
    const seeded = await seedByCheckout(dataDir, SNAPSHOT_TASKS)
    const docket = await startDocketProcess(dataDir)
    await compareFeedRead(docket, seeded)
    await measureSnapshot(docket, seeded)
    await docket.stop()
  })
  await withDataDir(measureStreams)
}

async function withDataDir(work: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-changes-'))
  try {
    await work(dataDir)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
