import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findDatabaseFaults } from '../../support/load/check-database.ts'
import { startWriters, type TrackedWrite } from '../../support/load/http-writers.ts'
import { endServer, type seedDataDir, startServer } from '../../support/server/server-process.ts'
import { createMemoryTempDir, createTempDir } from '../../support/system/temp-dir.ts'
import { type DiskOperation, readDiskJournal, SimulatedDisk } from './simulated-disk.ts'

/** What a server wrote to its disk under load, and which replies its clients got meanwhile. */
export interface DiskRecording {
  steps: DiskOperation[]
  log: TrackedWrite[]
}

/** Records a server under load for some milliseconds. Needs a C compiler and Linux. */
export async function recordDisk(ms: number): Promise<DiskRecording> {
  const dir = createTempDir()
  const library = join(dir, 'power-cut.so')
  const source = join(import.meta.dirname, 'power-cut.c')
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-w', '-o', library, source, '-ldl', '-lpthread'])
  const dataDir = join(dir, 'data')
  const journal = join(dir, 'journal')
  const env = { LD_PRELOAD: library, POWER_CUT_JOURNAL: journal }
  // The first start is recorded too: the journal must contain the database from its first byte.
  mkdirSync(dataDir)
  const script = `import { seedDataDir } from ${JSON.stringify(join(import.meta.dirname, '../../support/server/server-process.ts'))}
    console.log(JSON.stringify(await seedDataDir(${JSON.stringify(dataDir)})))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, ...env },
  })
  const team: Awaited<ReturnType<typeof seedDataDir>> = JSON.parse(output.toString())
  const server = await startServer(dataDir, { env })
  const log: TrackedWrite[] = []
  const load = startWriters(server.port, team, 16, log)
  await pause(ms)
  await endServer(server, 'SIGKILL')
  await load.stop()
  return { steps: readDiskJournal(journal), log }
}

/**
 * Cuts the power at random instants of a recording, until the remaining files have a fault.
 */
export function cutPower({ steps, log }: DiskRecording, cuts: number) {
  const firstStep = steps.findIndex(({ at }) => log.some(({ sentAt }) => at >= sentAt))
  const cutsAt = Array.from({ length: cuts }, () =>
    Math.floor(firstStep + Math.random() * (steps.length - firstStep)),
  ).toSorted((a, b) => a - b)
  const dir = createMemoryTempDir()
  const disk = new SimulatedDisk()
  let done = 0
  for (const [index, step] of steps.entries()) {
    disk.perform(step)
    for (; cutsAt[done] === index; done++) {
      const wrong = checkAfterCut(disk, dir, step, log)
      if (wrong.length > 0) return { cuts: done + 1, wrong }
    }
  }
  return { cuts: done, wrong: [] }
}

function checkAfterCut(
  disk: SimulatedDisk,
  dir: string,
  { at }: DiskOperation,
  log: readonly TrackedWrite[],
): string[] {
  const path = join(dir, 'docket.db')
  const [db, wal] = disk.cut(Math.random)
  rmSync(`${path}-shm`, { force: true })
  writeFileSync(path, db)
  writeFileSync(`${path}-wal`, wal)
  return findDatabaseFaults(path, log, at)
}
