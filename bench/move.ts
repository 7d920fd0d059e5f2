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

async function run(env: Record<string, string>, target: string) {
  const began = performance.now()
  const child = spawn(process.execPath, ['src/cli/main.ts', 'migrate-to', '--json'], {
    env: { ...process.env, ...env, DOCKET_MOVE_TO: target },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let memory = 0
  const looking = setInterval(() => {
    memory = Math.max(memory, mostMemoryOf(child.pid))
  }, LOOK_MS)
  const [code] = await once(child, 'exit')
  clearInterval(looking)
  if (code !== 0) throw new Error(`The move failed (${code})`)
  return { seconds: (performance.now() - began) / 1_000, memory }
}

/** Megabytes of memory that a process had at its most; 0 where it has ended. */
function mostMemoryOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return (Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024) / 1e6
  } catch {
    return 0
  }
}
