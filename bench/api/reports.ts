import { setTimeout as pause } from 'node:timers/promises'
import { createSession, sessionCookieName } from '#auth/sessions/sessions.ts'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import { addDays, dayIn } from '#lib/days.ts'
import { MAX_REPORT_DAYS } from '#resources/time-entries/contract.ts'
import { DEFAULT_REPORT_DAYS } from '#resources/web-app/reports/contract.ts'
import { reports } from '#resources/web-app/reports/index.ts'
import { reportFigure } from '../support/figures.ts'
import { withOwnPostgres } from '../support/own-postgres.ts'
import { type DocketProcess, startDocketProcess } from '../support/processes.ts'
import { createBenchDir } from '../support/seed.ts'
import { seedReportHistory } from './reports-seed.ts'

const TASKS = 100_000
const TIMES = 5
const GETS = 1_500
/** The interval between GETs, however fast the previous one was. */
const GET_INTERVAL_MS = 4
/** The pause between reports: a session is limited to 600 requests per minute. */
const REPORT_PAUSE_MS = 200

const ROUNDS = 5

/** Measures each report over many tasks and time entries, and other requests beside them. */
export async function measureReports(): Promise<void> {
  await measure('SQLite', {})
  await withOwnPostgres((url) => measure('PostgreSQL', { DOCKET_DATABASE_URL: url }))
}

async function measure(engine: string, env: Record<string, string>): Promise<void> {
  const dataDir = createBenchDir()
  const config = parseConfig({ DOCKET_DATA_DIR: dataDir, ...env })
  const { storage } = await openStore(config)
  const { people, workspace, key, tasks } = await seedReportHistory(storage, TASKS)
  const wanted = { user_id: people[0] ?? '', workspace_id: workspace, user_agent: 'bench' }
  const { value } = await storage.write(ANONYMOUS_ACTOR, (tx) => createSession(tx, wanted))
  await storage.close()
  const docket = await startDocketProcess(dataDir, env)
  const headers = { cookie: `${sessionCookieName(config.baseUrl)}=${value}` }
  const paths = reports.map(({ endpoint }) => endpoint.path)
  for (const days of [DEFAULT_REPORT_DAYS, MAX_REPORT_DAYS]) {
    for (const path of paths) {
      const times: number[] = []
      for (let time = -1; time < TIMES; time += 1) {
        const began = performance.now()
        await ask(`${docket.url}${path}?${rangeOf(days)}`, headers)
        if (time >= 0) times.push(performance.now() - began)
      }
      reportFigure(`${engine}: ${path}, ${days} days, ms`, times, { most: 500 })
    }
  }
  const one = `${docket.url}/api/v1/tasks/${tasks[0]}`
  await measureGets(one, key)
  const rounds: { alone: number; beside: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = await measureGets(one, key)
    const under = new AbortController()
    const asking = keepAsking(docket, paths, headers, under.signal)
    const beside = await measureGets(one, key)
    under.abort()
    await asking
    rounds.push({ alone, beside })
  }
  const ratios = rounds.map(({ alone, beside }) => beside / alone)
  reportFigure(`${engine}: p99 of a GET beside reports, to alone`, ratios, { most: 1.3 })
  for (const { alone, beside } of rounds)
    console.log(`    alone ${alone.toFixed(1)} ms, beside reports ${beside.toFixed(1)} ms`)
  await docket.stop()
}

/** The query of a range of days up to today. */
function rangeOf(days: number): string {
  const before = addDays(dayIn('UTC', new Date().toISOString()), 1)
  return String(new URLSearchParams({ after: addDays(before, -days), before }))
}

/** Requests one report after another, like a person who looks at all of them. */
async function keepAsking(
  { url }: DocketProcess,
  paths: readonly string[],
  headers: Record<string, string>,
  until: AbortSignal,
): Promise<void> {
  for (let n = 0; !until.aborted; n += 1) {
    await ask(`${url}${paths[n % paths.length]}`, headers)
    await pause(REPORT_PAUSE_MS)
  }
}

async function ask(url: string, headers: Record<string, string>): Promise<void> {
  const reply = await fetch(url, { headers })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${text}`)
}

/** The p99 of a GET at a steady rate, in milliseconds. */
async function measureGets(url: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  const times: number[] = []
  const under_way: Promise<void>[] = []
  for (let n = 0; n < GETS; n += 1) {
    const began = performance.now()
    under_way.push(ask(url, headers).then(() => void times.push(performance.now() - began)))
    await pause(GET_INTERVAL_MS)
  }
  await Promise.all(under_way)
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
}
