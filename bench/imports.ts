import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '#db/installation/open-store.ts'
import { parseConfig } from '../src/config/config.ts'
import { createServerImporter } from '../test/support/server/server-importer.ts'
import { endServer, seedDataDir, startServer } from '../test/support/server/server-process.ts'
import { findFreePort } from '../test/support/system/free-port.ts'
import { TEST_SECRET } from '../test/support/system/test-secret.ts'
import { createTestSession } from '../test/support/world/test-session.ts'
import { countMissedGoals, reportFigure } from './support/figures.ts'
import { withOwnPostgres } from './support/own-postgres.ts'

/*
 * Uploads a CSV file with 20,000 tasks (TASKS=…) to a server process, which parses it and creates
 * the tasks: npx node bench/imports.ts
 */
const TASKS = Number(process.env.TASKS ?? 20_000)
/** Clock ticks per second, in which Linux counts CPU time. */
const TICKS_PER_SECOND = 100
const COLUMNS = 'title,description,status,priority,tags,due,id,parent'

const place = mkdtempSync(join(tmpdir(), 'docket-bench-'))
await measure('SQLite', {})
await withOwnPostgres(async (url) => {
  await measure('PostgreSQL', { DOCKET_DATABASE_URL: url })
})
rmSync(place, { recursive: true, force: true })
process.exitCode = countMissedGoals() > 0 ? 1 : 0

async function measure(engine: string, env: Record<string, string>) {
  const dataDir = join(place, engine)
  const home = await seedDataDir(dataDir, env)
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const { storage } = await openStore(
    parseConfig({ ...env, DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET }),
  )
  const { headers } = await createTestSession(storage, home, 'admin', url)
  await storage.close()
  const server = await startServer(dataDir, { port, env, sheds: true })
  try {
    await run(engine, server.child.pid, createServerImporter(url, headers))
  } finally {
    await endServer(server, 'SIGTERM')
  }
}

async function run(engine: string, pid: number, by: ReturnType<typeof createServerImporter>) {
  const before = peakMemoryOf(pid)
  const cpu = cpuOf(pid)
  const begun = performance.now()
  const { id } = await by.upload('Many.csv', createCsv())
  await by.until(id, ({ status }) => status === 'ready')
  const read = performance.now()
  await by.act(id, 'start')
  await by.until(id, ({ status }) => status === 'done')
  console.log(`${engine}, ${TASKS} tasks`)
  reportFigure('read, seconds', (read - begun) / 1_000, { most: 30 })
  reportFigure('made, seconds', (performance.now() - read) / 1_000, { most: 60 })
  reportFigure('processor time of both, seconds', cpuOf(pid) - cpu, { most: 60 })
  reportFigure('memory that was added, MB', peakMemoryOf(pid) - before, { most: 200 })
}

function createCsv(): string {
  const words = 'What is to be done here, by whom, and why it matters. '.repeat(4)
  const lines = Array.from({ length: TASKS }, (_, at) => {
    const parent = at % 10 === 0 ? '' : String(at - (at % 10))
    return `Task ${at},"${words}",To do,high,"tag ${at % 20}",2026-03-31,${at},${parent}`
  })
  return `${COLUMNS}\n${lines.join('\n')}\n`
}

/** The peak memory of a process, in MB. */
function peakMemoryOf(pid: number): number {
  return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000
}

/** The CPU time of a process, in seconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
