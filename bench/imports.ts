import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../src/config.ts'
import { importAt } from '../test/support/import-at.ts'
import { freePort } from '../test/support/port.ts'
import { end, SECRET, settle, start } from '../test/support/process.ts'
import { sessionOf } from '../test/support/session.ts'
import { misses, tell } from './figures.ts'
import { onPostgres } from './own-postgres.ts'

/*
 * A table of 20,000 tasks (TASKS=…) is uploaded, read and made into tasks by a server in a process of its
 * own: node bench/imports.ts
 */
const TASKS = Number(process.env.TASKS ?? 20_000)
/** Of the clock by which Linux counts processor time, in a second. */
const TICKS = 100
const COLUMNS = 'title,description,status,priority,tags,due,id,parent'

const place = mkdtempSync(join(tmpdir(), 'docket-bench-'))
await measure('SQLite', {})
await onPostgres(async (url) => {
  await measure('PostgreSQL', { DOCKET_DATABASE_URL: url })
})
rmSync(place, { recursive: true, force: true })
process.exitCode = misses() > 0 ? 1 : 0

async function measure(engine: string, env: Record<string, string>) {
  const dataDir = join(place, engine)
  const home = await settle(dataDir, env)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { storage } = await openStore(
    configFrom({ ...env, DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET }),
  )
  const { headers } = await sessionOf(storage, home, 'admin', url)
  await storage.close()
  const server = await start(dataDir, { port, env, sheds: true })
  try {
    await run(engine, server.child.pid, importAt(url, headers))
  } finally {
    await end(server, 'SIGTERM')
  }
}

async function run(engine: string, pid: number, by: ReturnType<typeof importAt>) {
  const before = memoryOf(pid)
  const cpu = cpuOf(pid)
  const begun = performance.now()
  const { id } = await by.upload('Many.csv', tableOf())
  await by.until(id, ({ status }) => status === 'ready')
  const read = performance.now()
  await by.act(id, 'start')
  await by.until(id, ({ status }) => status === 'done')
  console.log(`${engine}, ${TASKS} tasks`)
  tell('read, seconds', (read - begun) / 1_000, { most: 30 })
  tell('made, seconds', (performance.now() - read) / 1_000, { most: 60 })
  tell('processor time of both, seconds', cpuOf(pid) - cpu, { most: 60 })
  tell('memory that was added, MB', memoryOf(pid) - before, { most: 200 })
}

function tableOf(): string {
  const words = 'What is to be done here, by whom, and why it matters. '.repeat(4)
  const lines = Array.from({ length: TASKS }, (_, at) => {
    const parent = at % 10 === 0 ? '' : String(at - (at % 10))
    return `Task ${at},"${words}",To do,high,"tag ${at % 20}",2026-03-31,${at},${parent}`
  })
  return `${COLUMNS}\n${lines.join('\n')}\n`
}

/** The most that a process has had in memory, in MB. */
function memoryOf(pid: number): number {
  return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000
}

/** Seconds that a process has computed. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}
