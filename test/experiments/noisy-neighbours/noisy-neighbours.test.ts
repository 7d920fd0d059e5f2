import assert from 'node:assert/strict'
import { Agent, createServer } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as NetServer,
  type Socket,
} from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createApp } from '#server/app.ts'
import { MAX_SLOTS } from '#webhooks/dispatcher.ts'
import { createBacklogSql } from '../../support/data/backlog.ts'
import { testLog } from '../../support/engines/test-docket.ts'
import { sendHttp } from '../../support/load/http-writers.ts'
import { endServer, startServer } from '../../support/server/server-process.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import { createTestWorkspace, type TestWorkspace } from '../../support/world/test-workspace.ts'

/**
 * How many webhooks a workspace has whose receiver hangs or answers, and how many deliveries wait
 * for each that hangs.
 */
interface WebhookCounts {
  hanging: number
  answering: number
  waiting: number
}

/** Ten receivers, of which one hangs and has a backlog. */
const MEASURED: WebhookCounts = { hanging: 1, answering: 9, waiting: 2_000 }
const NOISY: WebhookCounts = { hanging: 50, answering: 0, waiting: 400 }
/** The number of events where it only matters whether they arrive. */
const EVENT_COUNT = 20
const TIMEOUT_MS = 50_000

async function listen(server: NetServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts a receiver that never answers, and one that records each path and task that arrives. */
async function startReceivers() {
  const arrived = new Set<string>()
  const held = new Set<Socket>()
  const silent = createTcpServer((socket) => held.add(socket.on('error', () => {}).resume()))
  const answering = createServer(async (request, response) => {
    const { data } = JSON.parse(await text(request))
    arrived.add(`${request.url} ${data.id}`)
    response.end('ok')
  })
  return {
    urls: { hanging: await listen(silent), answering: await listen(answering) },
    arrived,
    /** Connections to the receiver that never answers. */
    held,
    close() {
      silent.close()
      for (const socket of held) socket.destroy()
      answering.close()
      answering.closeAllConnections()
    },
  }
}

type ReceiverUrls = Awaited<ReturnType<typeof startReceivers>>['urls']

/** Creates an installation with the measured workspace and the noisy one. */
async function createInstallation(urls: ReceiverUrls) {
  const dataDir = createTempDir()
  const config = parseConfig({
    DOCKET_DATA_DIR: dataDir,
    DOCKET_SECRET: TEST_SECRET,
    DOCKET_LIMIT_PAID: '1000000',
  })
  const { storage } = await openStore(config)
  const { server } = await createApp(storage, config, TEST_SECRET, testLog)
  const team = await createTestWorkspace(storage)
  const backlogs = [
    ...(await createWebhooks(server, team, urls, MEASURED)),
    ...(await createWebhooks(server, await createTestWorkspace(storage), urls, NOISY)),
  ]
  await server.close()
  await storage.close()
  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  for (const sql of backlogs) db.exec(sql)
  db.close()
  return { dataDir, team }
}

/** Creates the webhooks of a workspace and returns the SQL for the backlog of those that hang. */
async function createWebhooks(
  server: FastifyInstance,
  { workspace, project, keys }: TestWorkspace,
  urls: ReceiverUrls,
  counts: WebhookCounts,
) {
  const headers = { authorization: `Bearer ${keys.owner}` }
  const post = async (url: string, payload: object): Promise<string> => {
    const reply = await server.inject({ method: 'POST', url, headers, payload })
    assert.equal(reply.statusCode, 201, reply.body)
    return reply.json().id
  }
  await post('/api/v1/tasks', { project_id: project, title: 'The first' })
  const ids: string[] = []
  for (const kind of ['hanging', 'answering'] as const)
    for (let n = 0; n < counts[kind]; n++)
      ids.push(
        await post('/api/v1/webhooks', { url: `${urls[kind]}/${n}`, events: ['task.created'] }),
      )
  return createBacklogSql({
    workspace,
    webhooks: ids.slice(0, counts.hanging),
    events: counts.waiting,
    since: new Date().toISOString(),
  })
}

async function createTask(agent: Agent, port: number, team: TestWorkspace): Promise<string> {
  const headers = {
    authorization: `Bearer ${team.keys.owner}`,
    'content-type': 'application/json',
  }
  const input = { project_id: team.project, title: 'A task among neighbours' }
  const { status, body } = await sendHttp(agent, port, 'POST', '/api/v1/tasks', headers, input)
  assert.equal(status, 201, body)
  return JSON.parse(body).id
}

test('hanging receivers delay no other webhook, in their workspace or another one', async (t) => {
  const { urls, arrived, held, close } = await startReceivers()
  t.after(close)
  const { dataDir, team } = await createInstallation(urls)
  // The time-out is longer than the test, so that no hanging attempt ends.
  const server = await startServer(dataDir, { options: { attemptTimeoutMs: 60_000 } })
  t.after(() => endServer(server, 'SIGKILL'))
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  await waitUntil('attempts that hang', () => held.size >= MAX_SLOTS.host)
  const expected: string[] = []
  for (let n = 0; n < EVENT_COUNT; n++) {
    const task = await createTask(agent, server.port, team)
    for (let at = 0; at < MEASURED.answering; at++) expected.push(`/${at} ${task}`)
  }
  const hasAll = () => expected.every((one) => arrived.has(one))
  await waitUntil('all that is sent', hasAll, TIMEOUT_MS)
})
