import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { emptyDir, emptyDirInMemory } from '../support/dir.ts'
import { end, type settle, start } from '../support/process.ts'
import { wrongWith } from './check.ts'
import { Disk, type Step, stepsIn } from './disk.ts'
import { type Asked, writers } from './load.ts'

/** What a server did to its disk under load, and what its clients were told meanwhile. */
export interface Recording {
  steps: Step[]
  log: Asked[]
}

/** Records a server under load for some milliseconds. Needs a C compiler, and Linux. */
export async function record(ms: number): Promise<Recording> {
  const dir = emptyDir()
  const shim = join(dir, 'power-cut.so')
  const source = join(import.meta.dirname, 'power-cut.c')
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-w', '-o', shim, source, '-ldl', '-lpthread'])
  const dataDir = join(dir, 'data')
  const journal = join(dir, 'journal')
  const env = { LD_PRELOAD: shim, POWER_CUT_JOURNAL: journal }
  // Once without load: a database is recorded from its first byte, and then holds a workspace.
  mkdirSync(dataDir)
  const script = `import { settle } from ${JSON.stringify(join(import.meta.dirname, '../support/process.ts'))}
    console.log(JSON.stringify(await settle(${JSON.stringify(dataDir)})))`
  const made = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, ...env },
  })
  const home: Awaited<ReturnType<typeof settle>> = JSON.parse(made.toString())
  const server = await start(dataDir, { env })
  const log: Asked[] = []
  const load = writers(server.port, home, 16, log)
  await pause(ms)
  await end(server, 'SIGKILL')
  await load.stop()
  return { steps: stepsIn(journal), log }
}

/**
 * E02: cuts the power at so many instants of a recording, until something is wrong with what is left.
 * `forgetful` takes the flushes of the log away that `synchronous = normal` would not do: then
 * acknowledged writes must be lost.
 */
export function cut({ steps, log }: Recording, cuts: number, forgetful = false) {
  const first = steps.findIndex(({ at }) => log.some(({ sentAt }) => at >= sentAt))
  const instants = Array.from({ length: cuts }, () =>
    Math.floor(first + Math.random() * (steps.length - first)),
  ).toSorted((a, b) => a - b)
  const dir = emptyDirInMemory()
  const disk = new Disk()
  let done = 0
  for (const [index, step] of steps.entries()) {
    const isCommit = step.kind === 'sync' && step.file === 1 && steps[index + 1]?.file === 1
    if (!(forgetful && isCommit)) disk.do(step)
    for (; instants[done] === index; done++) {
      const wrong = left(disk, dir, step, log)
      if (wrong.length > 0) return { cuts: done + 1, wrong }
    }
  }
  return { cuts: done, wrong: [] }
}

function left(disk: Disk, dir: string, { at }: Step, log: readonly Asked[]): string[] {
  const path = join(dir, 'docket.db')
  const [db, wal] = disk.cut(Math.random)
  rmSync(`${path}-shm`, { force: true })
  writeFileSync(path, db)
  writeFileSync(`${path}-wal`, wal)
  return wrongWith(path, log, at)
}

if (process.argv.includes('--full')) {
  const recording = await record(5_000)
  const acks = recording.log.filter(({ ackedAt }) => ackedAt !== undefined).length
  console.log(recording.steps.length, 'steps', acks, 'acknowledged')
  const control = cut(recording, 300, true)
  assert.ok(control.wrong.length > 0, 'a log that is not flushed must be found out')
  console.log('control', control.cuts, control.wrong[0])
  const cuts = Number(process.argv.find((one) => one.startsWith('--cuts='))?.slice(7) ?? 5_000)
  const outcome = cut(recording, cuts)
  console.log(outcome)
  process.exitCode = outcome.wrong.length > 0 ? 1 : 0
}
