import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { emptyDir } from '../support/dir.ts'
import { end, type Running, settle, start } from '../support/process.ts'
import { wrongWith } from './check.ts'
import { type Asked, writers } from './load.ts'

/**
 * E02, its half without a disk: stops a server under load at any instant, copies what its files hold,
 * and lets it go on. Each copy must open, be whole, and hold what was acknowledged before the stop.
 */
export async function copied(copies: number, entry?: string) {
  const dataDir = emptyDir()
  const home = await settle(dataDir)
  const server = await start(dataDir, { entry })
  const log: Asked[] = []
  const load = writers(server.port, home, 16, log)
  const wrong: string[] = []
  try {
    for (let at = 0; at < copies && wrong.length === 0; at++) {
      await pause(20 + Math.random() * 60)
      const to = join(dataDir, `copy-${at}`)
      const before = await copy(server, dataDir, to)
      wrong.push(...wrongWith(join(to, 'docket.db'), log, before))
      rmSync(to, { recursive: true })
    }
  } finally {
    await end(server, 'SIGKILL')
    await load.stop()
  }
  return { acks: log.filter(({ ackedAt }) => ackedAt !== undefined).length, wrong }
}

/** Gives the instant up to which what was acknowledged must be in the copy. */
async function copy({ child }: Running, from: string, to: string): Promise<bigint> {
  mkdirSync(to)
  process.kill(child.pid, 'SIGSTOP')
  while (!isStopped(child.pid)) await pause(1)
  const before = process.hrtime.bigint()
  for (const file of ['docket.db', 'docket.db-wal']) copyFileSync(join(from, file), join(to, file))
  process.kill(child.pid, 'SIGCONT')
  return before
}

/** Elsewhere than on Linux a signal is believed to have stopped it. */
function isStopped(pid: number): boolean {
  const stat = `/proc/${pid}/stat`
  return !existsSync(stat) || /\) T /.test(readFileSync(stat, 'utf8'))
}

if (process.argv.includes('--full')) {
  const control = await copied(1_000, 'test/support/early-reply.ts')
  assert.ok(control.wrong.length > 0, 'a reply before the commit must be found out')
  console.log('control', control.wrong[0])
  const outcome = await copied(1_000)
  console.log(outcome)
  process.exitCode = outcome.wrong.length > 0 ? 1 : 0
}
