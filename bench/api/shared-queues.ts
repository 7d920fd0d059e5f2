import { createECDH, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createSession, sessionCookieName } from '#auth/sessions/sessions.ts'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { reportFigure } from '../support/figures.ts'
import { withOwnPostgres } from '../support/own-postgres.ts'
import { startDocketProcess } from '../support/processes.ts'
import { createBenchDir } from '../support/seed.ts'
import { seedReportHistory } from './reports-seed.ts'

/** Of the hostile workspace, so that each of its reports takes tenths of a second. */
const TASKS = 3_000
/** As many reports at once as once filled the line of a process. */
const REPORTS_AT_ONCE = 17
const REPORT_INTERVAL_MS = 150
const REPORTS = 60
/** The people and the browsers of each to whose hanging host one bulk request pushes. */
const [PEOPLE, BROWSERS] = [10, 5]
const PUSH_TIMEOUT_MS = 60_000

/**
 * Measures what a second workspace gets of the queues that all share, beside a hostile one: its report
 * while a member of the other keeps 17 under way, and its push after one bulk request there has notified
 * fifty devices, whose host never answers.
 */
export async function measureSharedQueues(): Promise<void> {
  await measure('SQLite', {})
  await withOwnPostgres((url) => measure('PostgreSQL', { DOCKET_DATABASE_URL: url }))
}

async function measure(engine: string, database: Record<string, string>): Promise<void> {
  // Browsers name it as their origin.
  const env = { ...database, DOCKET_BASE_URL: 'http://127.0.0.1:4000' }
  const dataDir = createBenchDir()
  const config = parseConfig({ DOCKET_DATA_DIR: dataDir, ...env })
  const { storage } = await openStore(config)
  const hostile = await seedReportHistory(storage, TASKS)
  const calm = await createTestWorkspace(storage)
  const signIn = async (user_id: string, workspace_id: string) => {
    const wanted = { user_id, workspace_id, user_agent: 'bench' }
    const { value } = await storage.write(ANONYMOUS_ACTOR, (tx) => createSession(tx, wanted))
    return {
      cookie: `${sessionCookieName(config.baseUrl)}=${value}`,
      origin: config.baseUrl,
      'content-type': 'application/json',
    }
  }
  const victims = hostile.people.slice(1, 1 + PEOPLE)
  const guest = await signIn(hostile.people.at(-1) ?? '', hostile.workspace)
  const browsers = await Promise.all(
    victims.flatMap((user_id) =>
      Array.from({ length: BROWSERS }, () => signIn(user_id, hostile.workspace)),
    ),
  )
  const member = await signIn(calm.people.member, calm.workspace)
  await storage.close()
  const docket = await startDocketProcess(dataDir, env)
  const read = async (headers: Record<string, string>) => {
    const reply = await fetch(`${docket.url}/internal/reports/flow`, { headers })
    await reply.arrayBuffer()
    return reply.status
  }
  const write = async (line: string, headers: Record<string, string>, body: object) => {
    const [method = '', path = ''] = line.split(' ')
    const reply = await fetch(`${docket.url}${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${line}: ${reply.status} ${await reply.text()}`)
  }

  const ending = new AbortController()
  const noise = Array.from({ length: REPORTS_AT_ONCE }, async () => {
    while (!ending.signal.aborted) await read(guest)
  })
  const times: number[] = []
  let refused = 0
  for (let n = 0; n < REPORTS; n += 1) {
    await pause(REPORT_INTERVAL_MS)
    const began = performance.now()
    if ((await read(member)) !== 200) refused += 1
    times.push(performance.now() - began)
  }
  ending.abort()
  await Promise.all(noise)
  reportFigure(`${engine}: refused reports of another workspace, of ${REPORTS}`, refused, {
    most: 0,
  })
  reportFigure(`${engine}: its report beside ${REPORTS_AT_ONCE}, ms`, times, { most: 500 })

  const hanging = await startPushService(() => {})
  const pushed = Promise.withResolvers<number>()
  const prompt = await startPushService((_, response) => {
    pushed.resolve(performance.now())
    response.writeHead(201).end()
  })
  for (const [at, browser] of browsers.entries()) {
    await write('PUT /internal/push', browser, subscriptionTo(`${hanging.url}/${at}`))
  }
  await write('PUT /internal/push', member, subscriptionTo(prompt.url))
  const withKey = (key: string) => ({
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
  })
  const create = (project_id: string, assignee_ids: string[]) => ({
    project_id,
    title: 'Push it',
    assignee_ids,
  })
  const operations = Array.from({ length: 100 }, () => ({
    op: 'create',
    data: create(hostile.project, victims),
  }))
  await write('POST /api/v1/tasks/bulk', withKey(hostile.key), { operations })
  // By now the jobs of the hostile workspace are due.
  await pause(7_000)
  const began = performance.now()
  const body = create(calm.project, [calm.people.member])
  await write('POST /api/v1/tasks', withKey(calm.keys.owner), body)
  const tooLate = pause(PUSH_TIMEOUT_MS, began + PUSH_TIMEOUT_MS, { ref: false })
  const seconds = ((await Promise.race([pushed.promise, tooLate])) - began) / 1_000
  // It is due after five seconds.
  reportFigure(`${engine}: its push beside a host that hangs, s`, seconds, { most: 10 })
  await docket.stop()
  await Promise.all([hanging.stop(), prompt.stop()])
}

async function startPushService(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function subscriptionTo(endpoint: string) {
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const p256dh = browser.getPublicKey('base64url')
  return { endpoint, keys: { p256dh, auth: randomBytes(16).toString('base64url') } }
}
