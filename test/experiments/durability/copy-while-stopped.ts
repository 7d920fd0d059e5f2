import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  endServer,
  type ServerProcess,
  seedDataDir,
  startServer,
} from '../../support/server/server-process.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { startWriters, type TrackedWrite } from '../load/http-writers.ts'
import { findDatabaseFaults } from './check-database.ts'

/** Without them, a copy on a slow machine would say nothing. */
const WRITES_BETWEEN_COPIES = 4

/**
 * Stops a server under load at a random instant (SIGSTOP), copies its files and lets it continue.
 * Each copy must open, be complete, and contain every write that was acknowledged before the stop.
 */
export async function copyWhileStopped(copies: number, entry?: string) {
  const dataDir = createTempDir()
  const team = await seedDataDir(dataDir)
  const server = await startServer(dataDir, { entry })
  const log: TrackedWrite[] = []
  const load = startWriters(server.port, team, 16, log)
  const wrong: string[] = []
  try {
    for (let at = 0; at < copies && wrong.length === 0; at++) {
      const soFar = countAcks(log)
      while (countAcks(log) < soFar + WRITES_BETWEEN_COPIES) await pause(5)
      await pause(Math.random() * 60)
      const to = join(dataDir, `copy-${at}`)
      const before = await copy(server, dataDir, to)
      wrong.push(...findDatabaseFaults(join(to, 'docket.db'), log, before))
      rmSync(to, { recursive: true })
    }
  } finally {
    await endServer(server, 'SIGKILL')
    await load.stop()
  }
  return { acks: countAcks(log), wrong }
}

const countAcks = (log: readonly TrackedWrite[]): number =>
  log.filter(({ ackedAt }) => ackedAt !== undefined).length

/** Returns the instant up to which acknowledged writes must be in the copy. */
async function copy({ child }: ServerProcess, from: string, to: string): Promise<bigint> {
  mkdirSync(to)
  process.kill(child.pid, 'SIGSTOP')
  while (!isStopped(child.pid)) await pause(1)
  const before = process.hrtime.bigint()
  for (const file of ['docket.db', 'docket.db-wal']) copyFileSync(join(from, file), join(to, file))
  process.kill(child.pid, 'SIGCONT')
  return before
}

/** Only Linux has /proc; elsewhere the signal is assumed to have stopped the process. */
function isStopped(pid: number): boolean {
  const stat = `/proc/${pid}/stat`
  return !existsSync(stat) || /\) T /.test(readFileSync(stat, 'utf8'))
}

if (process.argv.includes('--full')) {
  const control = await copyWhileStopped(1_000, 'test/support/controls/reply-before-commit.ts')
  assert.ok(control.wrong.length > 0, 'a reply before the commit must be found out')
  console.log('control', control.wrong[0])
  const outcome = await copyWhileStopped(1_000)
  console.log(outcome)
  process.exitCode = outcome.wrong.length > 0 ? 1 : 0
}
