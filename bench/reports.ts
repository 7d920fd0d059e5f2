import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import { sessionCookie } from '#identity/cookie.ts'
import { beginSession } from '#identity/sessions.ts'
import { addDays, dayIn } from '#lib/days.ts'
import { MOST_DAYS, USUAL_DAYS } from '#resources/reports/contract.ts'
import { reports } from '#resources/reports/index.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../src/config.ts'
import { median, tell } from './figures.ts'
import { onPostgres } from './own-postgres.ts'
import { type Docket, startDocket } from './processes.ts'
import { seedReports } from './reports-seed.ts'

const TASKS = Number(process.env.TASKS ?? 100_000)
const TIMES = 5
const GETS = 1_500
/** A GET is asked for each so many milliseconds, however fast the last was. */
const EVERY_MS = 4
/** Between one report and the next: a session has 600 requests a minute. */
const APART_MS = 200

/** What each report takes over many tasks and time entries, and what others wait for meanwhile. */
export async function measureReports(): Promise<void> {
  await measure('SQLite', {})
  await onPostgres((url) => measure('PostgreSQL', { DOCKET_DATABASE_URL: url }))
}

async function measure(engine: string, env: Record<string, string>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  const config = configFrom({ DOCKET_DATA_DIR: dataDir, ...env })
  const { storage } = await openStore(config)
  const { people, workspace, key, tasks } = await seedReports(storage, TASKS)
  const wanted = { user_id: people[0] ?? '', workspace_id: workspace, user_agent: 'bench' }
  const { value } = await storage.write(NOBODY, (tx) => beginSession(tx, wanted))
  await storage.close()
  const docket = await startDocket(dataDir, env)
  const headers = { cookie: `${sessionCookie(config.baseUrl)}=${value}` }
  const paths = reports.map(({ endpoint }) => endpoint.path)
  for (const days of [USUAL_DAYS, MOST_DAYS]) {
    for (const path of paths) {
      const times: number[] = []
      for (let time = -1; time < TIMES; time += 1) {
        const began = performance.now()
        await ask(`${docket.url}${path}?${rangeOf(days)}`, headers)
        if (time >= 0) times.push(performance.now() - began)
      }
      tell(`${engine}: ${path}, ${days} days, ms`, median(times), { most: 500 })
    }
  }
  const one = `${docket.url}/api/v1/tasks/${tasks[0]}`
  const alone = await gets(one, key)
  const under = new AbortController()
  const asking = keepAsking(docket, paths, headers, under.signal)
  const beside = await gets(one, key)
  under.abort()
  await asking
  tell(`${engine}: p99 of a GET beside reports, to alone`, beside / alone, { most: 1.3 })
  console.log(`    alone ${alone.toFixed(1)} ms, beside reports ${beside.toFixed(1)} ms`)
  await docket.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** The days up to today; the tasks are of the last 400 of them. */
function rangeOf(days: number): string {
  const before = addDays(dayIn('UTC', new Date().toISOString()), 1)
  return String(new URLSearchParams({ after: addDays(before, -days), before }))
}

/** One report after the other, as some people do who look at all of them. */
async function keepAsking(
  { url }: Docket,
  paths: readonly string[],
  headers: Record<string, string>,
  until: AbortSignal,
): Promise<void> {
  for (let n = 0; !until.aborted; n += 1) {
    await ask(`${url}${paths[n % paths.length]}`, headers)
    await pause(APART_MS)
  }
}

async function ask(url: string, headers: Record<string, string>): Promise<void> {
  const reply = await fetch(url, { headers })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${text}`)
}

/** The 99th of a hundred times that a GET takes, in ms, at a steady rate. */
async function gets(url: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  const times: number[] = []
  const under_way: Promise<void>[] = []
  for (let n = 0; n < GETS; n += 1) {
    const began = performance.now()
    under_way.push(ask(url, headers).then(() => void times.push(performance.now() - began)))
    await pause(EVERY_MS)
  }
  await Promise.all(under_way)
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
}
