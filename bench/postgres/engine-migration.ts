import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { reportFigure } from '../support/figures.ts'
import { withOwnPostgres } from '../support/own-postgres.ts'
import { createBenchDir } from '../support/seed.ts'

const POLL_INTERVAL_MS = 100
export const MIGRATED_TASKS = 1_000_000
const MAX_MINUTES = 10

/** Migrates a filled SQLite database to PostgreSQL and back, each time in a separate process. */
export async function measureEngineMigration(dataDir: string): Promise<void> {
  const back = createBenchDir()
  await withOwnPostgres(async (url) => {
    const there = await run({ DOCKET_DATA_DIR: dataDir }, url)
    reportFigure(`${MIGRATED_TASKS} tasks to PostgreSQL, minutes`, there.seconds / 60, {
      most: MAX_MINUTES,
    })
    reportFigure('  memory of the command at its most, MB', there.memory, { most: 300 })
    const here = await run({ DOCKET_DATABASE_URL: url }, `sqlite:${back}`)
    reportFigure('  and back to SQLite, minutes', here.seconds / 60, { most: MAX_MINUTES })
    reportFigure('  memory of the command at its most, MB', here.memory, { most: 300 })
  })
}

/** The flags with which `npm run docket` starts a command. */
const FLAGS = ['--max-semi-space-size=4']
const ENV = { NODE_COMPILE_CACHE: 'node_modules/.cache/compile', MALLOC_ARENA_MAX: '2' }

async function run(env: Record<string, string>, target: string) {
  const began = performance.now()
  const child = spawn(process.execPath, [...FLAGS, 'src/cli/main.ts', 'migrate-to', '--json'], {
    env: { ...process.env, ...ENV, ...env, DOCKET_MOVE_TO: target },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let seen = { memory: 0, cpu: 0 }
  const looking = setInterval(() => {
    seen = usedBy(child.pid) ?? seen
  }, POLL_INTERVAL_MS)
  const [code] = await once(child, 'exit')
  clearInterval(looking)
  if (code !== 0) throw new Error(`The move failed (${code})`)
  const seconds = (performance.now() - began) / 1_000
  console.log(
    `    ${seconds.toFixed(0)} s, of which ${seen.cpu.toFixed(0)} s of the command's own processor time`,
  )
  return { seconds, memory: seen.memory }
}

/** Peak memory in MB and CPU time in seconds of a process; undefined if it has ended. */
function usedBy(pid: number | undefined): { memory: number; cpu: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const most = /VmHWM:\s+(\d+) kB/.exec(status)?.[1]
    const times = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const ticks = Number(times[11]) + Number(times[12])
    return most === undefined
      ? undefined
      : { memory: (Number(most) * 1_024) / 1e6, cpu: ticks / 100 }
  } catch {
    return undefined
  }
}
