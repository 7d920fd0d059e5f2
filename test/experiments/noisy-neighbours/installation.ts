import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createApp } from '#server/app.ts'
import { testLog } from '../../support/engines/test-docket.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { createTestWorkspace, type TestWorkspace } from '../../support/world/test-workspace.ts'
import { createBacklogSql } from '../backlog/backlog.ts'

/**
 * How many webhooks a workspace has for each kind of receiver, and how many deliveries wait for
 * each webhook of the first kind that it has.
 */
export interface WebhookCounts {
  hanging?: number
  quick?: number
  timed?: number
  waiting?: number
}

/** An installation that is not served yet, with a measured workspace and a noisy one. */
export interface NeighbourInstallation {
  dataDir: string
  team: TestWorkspace
}

/**
 * Starts receivers: one never answers, one answers at once, one records the delay of each event.
 */
export async function startNeighbourReceivers() {
  const delays = new Map<string, number>()
  const held = new Set<Socket>()
  const silent = createTcpServer((socket) => held.add(socket.on('error', () => {}).resume()))
  const timing = createServer(async (request, response) => {
    const arrived = Date.now()
    const { timestamp, data } = JSON.parse(await text(request))
    const key = `${request.url} ${data.id}`
    if (!delays.has(key)) delays.set(key, arrived - Date.parse(timestamp))
    response.end('ok')
  })
  const [hanging, timed] = await Promise.all(
    [silent, timing].map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }),
  )
  const thread = new Worker(new URL('fast-receiver.ts', import.meta.url))
  const [quick]: string[] = await once(thread, 'message')
  return {
    hanging: hanging ?? '',
    timed: timed ?? '',
    quick: quick ?? '',
    /** Milliseconds from the commit of an event to its first arrival, by path and task. */
    delays,
    /** Connections to the receiver that never answers. */
    held,
    async close() {
      silent.close()
      for (const socket of held) socket.destroy()
      timing.close()
      timing.closeAllConnections()
      await thread.terminate()
    },
  }
}

export type NeighbourReceivers = Awaited<ReturnType<typeof startNeighbourReceivers>>

/**
 * Creates the installation with the webhooks of the measured workspace (`own`) and of the noisy
 * one.
 */
export async function createNeighbourInstallation(
  to: NeighbourReceivers,
  own: WebhookCounts,
  noisy: WebhookCounts,
): Promise<NeighbourInstallation> {
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
    ...(await createWebhooks(server, team, to, own)),
    ...(await createWebhooks(server, await createTestWorkspace(storage), to, noisy)),
  ]
  await server.close()
  await storage.close()
  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  for (const sql of backlogs) db.exec(sql)
  db.close()
  return { dataDir, team }
}

/** Creates the webhooks of a workspace and returns the SQL for their backlog. */
async function createWebhooks(
  server: FastifyInstance,
  team: TestWorkspace,
  to: NeighbourReceivers,
  crowd: WebhookCounts,
) {
  const headers = { authorization: `Bearer ${team.keys.owner}` }
  const post = async (url: string, payload: object): Promise<string> => {
    const reply = await server.inject({ method: 'POST', url, headers, payload })
    if (reply.statusCode !== 201) throw new Error(reply.body)
    return reply.json().id
  }
  await post('/api/v1/tasks', { project_id: team.project, title: 'The first' })
  const ids: string[] = []
  let firstKindCount = 0
  for (const kind of ['hanging', 'quick', 'timed'] as const) {
    for (let n = 0; n < (crowd[kind] ?? 0); n++) {
      ids.push(
        await post('/api/v1/webhooks', { url: `${to[kind]}/${n}`, events: ['task.created'] }),
      )
    }
    firstKindCount ||= ids.length
  }
  const { waiting: events = 0 } = crowd
  if (events === 0) return []
  const webhooks = ids.slice(0, firstKindCount)
  return createBacklogSql({
    workspace: team.workspace,
    webhooks,
    events,
    since: new Date().toISOString(),
  })
}
