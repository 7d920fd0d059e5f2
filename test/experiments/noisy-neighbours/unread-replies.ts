import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { newId } from '#lib/id.ts'
import { createApp } from '#server/app.ts'
import { testLog } from '../../support/engines/test-docket.ts'
import { endServer, startServer } from '../../support/server/server-process.ts'
import { findFreePort } from '../../support/system/free-port.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { createTestSession } from '../../support/world/test-session.ts'
import { createTestWorkspace } from '../../support/world/test-workspace.ts'
import { sendHttp } from '../load/http-writers.ts'

/** Clients that send their requests and never read a byte. */
const SILENT_CLIENTS = 300
/** Longer than an unread reply may take. */
const SECONDS = 60
const PAGE_TASKS = 200
const PAGE_TASK_BYTES = 40_000
/** Of a project that a page of the web app reads in lines. */
const PROJECT_TASKS = 20_000
const SAMPLE_INTERVAL_MS = 100

/** What the silent clients ask for, as a raw request. */
type Silent = 'pages' | 'lines' | 'docs' | 'pipelined'
const KINDS: readonly Silent[] = ['pages', 'lines', 'docs', 'pipelined']

/**
 * Measures the memory of a server, and the p99 of a workspace, while clients of another workspace, or without
 * a credential, ask for large replies and read none.
 */
async function measureUnreadReplies(kind: Silent): Promise<void> {
  const { dataDir, env, port, own, requests } = await createInstallation()
  const server = await startServer(dataDir, { env, port, sheds: true })
  const memory = () => {
    const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
  }
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  let refused = 0
  const ask = async () => {
    const from = performance.now()
    const { status } = await sendHttp(agent, port, 'GET', '/api/v1/projects', own)
    if (status !== 200) refused += 1
    else times.push(performance.now() - from)
  }
  for (let n = 0; n < 200; n += 1) await ask()
  const alone = quantile(times, 0.99)
  times.length = 0
  const before = memory()
  for (let n = 0; n < SILENT_CLIENTS; n += 1)
    connect(port, '127.0.0.1')
      .on('error', () => {})
      .pause()
      .write(requests[kind])
  let most = 0
  const end = performance.now() + SECONDS * 1_000
  while (performance.now() < end) {
    await ask()
    most = Math.max(most, memory())
    await pause(SAMPLE_INTERVAL_MS)
  }
  console.log(
    `    ${kind}: memory ${before.toFixed(0)} MB, at most ${most.toFixed(0)}, ${memory().toFixed(0)} at the end; ` +
      `${await readCutCount(agent, port)} of ${SILENT_CLIENTS} connections cut; p99 of others ${alone.toFixed(1)} → ${quantile(times, 0.99).toFixed(1)} ms, ` +
      `at most ${Math.max(...times).toFixed(0)}; ${refused} of ${times.length + refused} refused`,
  )
  agent.destroy()
  await endServer(server, 'SIGKILL')
}

async function readCutCount(agent: Agent, port: number): Promise<number> {
  const { body } = await sendHttp(agent, port, 'GET', '/metrics', {})
  return Number(/^docket_live_cut_total (\d+)$/m.exec(body)?.[1])
}

async function createInstallation() {
  const port = await findFreePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const dataDir = createTempDir()
  const env = { DOCKET_BASE_URL: baseUrl }
  const config = parseConfig({ ...env, DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET })
  const { storage } = await openStore(config)
  const { server } = await createApp(storage, config, TEST_SECRET, testLog)
  const [own, noisy] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
  const authorization = `Bearer ${noisy.keys.owner}`
  const createTask = async (task: { project_id: string; description?: string }) => {
    const payload = { ...task, title: randomText() }
    const headers = { authorization }
    const reply = await server.inject({ method: 'POST', url: '/api/v1/tasks', headers, payload })
    if (reply.statusCode !== 201) throw new Error(reply.body)
  }
  for (let n = 0; n < PAGE_TASKS; n += 1) {
    await createTask({ project_id: noisy.hidden, description: 'x'.repeat(PAGE_TASK_BYTES) })
    await createTask({ project_id: noisy.project })
  }
  const session = await createTestSession(storage, noisy, 'owner', baseUrl)
  await server.close()
  await storage.close()
  copyTasks(dataDir, noisy.project)
  const request = (path: string, headers = '') =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n`
  const requests: Record<Silent, string> = {
    pages: request(
      `/api/v1/tasks?limit=${PAGE_TASKS}&project_id=${noisy.hidden}`,
      `Authorization: ${authorization}\r\n`,
    ),
    lines: request(
      `/internal/projects/${noisy.project}/tasks`,
      `Cookie: ${session.headers.cookie}\r\nAccept-Encoding: br\r\n`,
    ),
    docs: request('/docs'),
    pipelined: request('/docs').repeat(200),
  }
  return { dataDir, env, port, own: { authorization: `Bearer ${own.keys.owner}` }, requests }
}

/** Adds tasks whose titles no compression makes smaller. */
function copyTasks(dataDir: string, project: string): void {
  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  const columns = db
    .prepare(`select name from pragma_table_xinfo('tasks') where hidden = 0`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => name !== 'search_id')
  const changed: Record<string, string> = {
    id: 'new_id()',
    title: 'random_text()',
    number: `number + ${PAGE_TASKS} * $series`,
    position: `position || 'V' || $series`,
  }
  db.function('new_id', () => newId('tsk'))
  db.function('random_text', randomText)
  const insert = db.prepare(
    `insert into tasks (${columns}) select ${columns.map((name) => changed[name] ?? name)}
     from tasks where project_id = $project and number <= ${PAGE_TASKS}`,
  )
  db.exec('begin')
  for (let series = 1; series < PROJECT_TASKS / PAGE_TASKS; series += 1)
    insert.run({ $series: series, $project: project })
  db.exec('commit')
  db.close()
}

const randomText = () => randomBytes(180).toString('base64')

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN

const asked = KINDS.filter((kind) => process.argv.includes(kind))
for (const kind of asked.length > 0 ? asked : KINDS) await measureUnreadReplies(kind)
