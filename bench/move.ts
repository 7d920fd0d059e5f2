import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tell } from './figures.ts'
import { onPostgres } from './own-postgres.ts'

/** What all of it is measured by. */
const WHOLE = 1_000_000
const LOOK_MS = 100

/** How many tasks are moved: `TASKS=100000`. */
export const MOVED_TASKS = Number(process.env.TASKS ?? WHOLE)

/** Moves a filled SQLite database to PostgreSQL and back; the command has a process of its own. */
export async function measureMove(dataDir: string): Promise<void> {
  const back = mkdtempSync(join(tmpdir(), 'docket-bench-back-'))
  await onPostgres(async (url) => {
    const minutes = (10 * MOVED_TASKS) / WHOLE
    const there = await run({ DOCKET_DATA_DIR: dataDir }, url)
    tell(`${MOVED_TASKS} tasks to PostgreSQL, minutes`, there.seconds / 60, { most: minutes })
    tell('  memory of the command at its most, MB', there.memory, { most: 300 })
    const here = await run({ DOCKET_DATABASE_URL: url }, `sqlite:${back}`)
    tell('  and back to SQLite, minutes', here.seconds / 60, { most: minutes })
    tell('  memory of the command at its most, MB', here.memory, { most: 300 })
  })
  rmSync(back, { recursive: true, force: true })
}

/** As `npm run docket` starts a command. */
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
  }, LOOK_MS)
  const [code] = await once(child, 'exit')
  clearInterval(looking)
  if (code !== 0) throw new Error(`The move failed (${code})`)
  const seconds = (performance.now() - began) / 1_000
  console.log(
    `    ${seconds.toFixed(0)} s, of which ${seen.cpu.toFixed(0)} s of the command's own processor time`,
  )
  return { seconds, memory: seen.memory }
}

/** Megabytes that a process held at its most, and its seconds of processor time; undefined: it has ended. */
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
