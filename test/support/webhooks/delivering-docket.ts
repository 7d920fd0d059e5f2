import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import { parseConfig } from '#config/config.ts'
import type { DatabaseEngine, Storage } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createApp } from '#server/app.ts'
import { startWebhookDelivery } from '#server/jobs.ts'
import type { DispatcherTiming } from '#webhooks/dispatcher.ts'
import { DELIVERY_RULES, type DeliveryRules } from '#webhooks/results.ts'
import { atEnd, closeAfterFile, createMigratedDatabase } from '../engines/test-database.ts'
import { type TestDocketOptions, testLog } from '../engines/test-docket.ts'
import { createTempDir } from '../system/temp-dir.ts'
import { TEST_SECRET } from '../system/test-secret.ts'
import { createTestWorkspace, type TestWorkspace } from '../world/test-workspace.ts'

/** A request that the receiver got. */
export interface CapturedDelivery {
  headers: IncomingHttpHeaders
  text: string
  event: {
    id: string
    type: string
    sequence: number | null
    data: { id: string; title: string }
  }
  /** Milliseconds since the receiver started. */
  elapsedMs: number
  /** Milliseconds since 1970. */
  receivedAt: number
}

type AnswerDelivery = (got: CapturedDelivery, response: ServerResponse) => void

/** A webhook receiver on the loopback interface. A test may replace `answer` at any time. */
export interface DeliveryReceiver {
  url: string
  deliveries: CapturedDelivery[]
  answer: AnswerDelivery
}

export async function startDeliveryReceiver(): Promise<DeliveryReceiver> {
  const began = performance.now()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const event = JSON.parse(text)
      const got = {
        headers: request.headers,
        text,
        event,
        elapsedMs: performance.now() - began,
        receivedAt: Date.now(),
      }
      made.deliveries.push(got)
      made.answer(got, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const made: DeliveryReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    deliveries: [],
    answer: (_, response) => response.end('ok'),
  }
  return made
}

/** The fields that tests read of webhooks, deliveries and errors. */
export interface WebhookTestRecord {
  id: string
  secret: string
  status: string
  disabled_reason: string | null
  failure_count: number
  last_success_at: string | null
  last_failure_at: string | null
  event_id: string
  event_type: string
  sequence: number
  attempt_count: number
  next_attempt_at: string | null
  last_attempt_at: string
  response_status: number | null
  error: string | null
  completed_at: string | null
  is_test: boolean
  redelivery_of_id: string | null
  request: { url: string; headers: Record<string, string>; body: string }
  attempts: { number: number; started_at: string; response_body: string; error: string | null }[]
  queued: number
  data: WebhookTestRecord[]
}

/** A workspace in a Docket that sends webhooks. */
export interface DeliveringWorkspace {
  storage: Storage
  team: TestWorkspace
  /** Calls the API as the owner; throws unless the request succeeds. */
  callApi(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<WebhookTestRecord>
  /** Creates a task and returns its id. */
  createTask(title: string): Promise<string>
  /** Creates this number of tasks, a hundred in a request. */
  createTasks(count: number): Promise<void>
  createWebhook(url: string, more?: object): Promise<WebhookTestRecord>
  deliveries(webhook: string, query?: string): Promise<WebhookTestRecord[]>
  /** Stops and restarts the dispatcher. */
  stopSending(): Promise<void>
  startSending(): Promise<void>
}

/** What a test replaces of a Docket that sends webhooks; by default it retries at once. */
type DeliveringOptions = TestDocketOptions & DispatcherTiming & { rules?: Partial<DeliveryRules> }

export async function openDeliveringWorkspace(
  engine: DatabaseEngine,
  env: Record<string, string> = {},
  lent: DeliveringOptions = {},
): Promise<DeliveringWorkspace> {
  return (await openDeliveringDocket(engine, env, lent)).newHome()
}

/** A Docket that sends webhooks. It has its own database, so that no other one sends its queue. */
export async function openDeliveringDocket(
  engine: DatabaseEngine,
  env: Record<string, string> = {},
  { clock, rules, ...timing }: DeliveringOptions = {},
): Promise<{ newHome(): Promise<DeliveringWorkspace> }> {
  const config = parseConfig({
    DOCKET_DATA_DIR: createTempDir(),
    DOCKET_SECRET: TEST_SECRET,
    DOCKET_LIMIT_PAID: '1000000',
    ...(engine === 'postgres' && { DOCKET_DATABASE_URL: (await createMigratedDatabase()).url }),
    ...env,
  })
  const { storage } = await openStore({ ...config, guard: true, clock })
  closeAfterFile(storage)
  const { server, appContext } = await createApp(storage, config, TEST_SECRET, testLog, undefined, {
    sheds: false,
  })
  atEnd(() => server.close())
  let running: { stop(): Promise<void> } | undefined
  const begin = async () => {
    const sending = { ...appContext, metrics: { ...appContext.metrics, registry: new Registry() } }
    running = await startWebhookDelivery(storage, config, TEST_SECRET, sending, {
      ...timing,
      rules: { ...DELIVERY_RULES, retrySeconds: Array(9).fill(0), ...rules },
    })
  }
  const stop = async () => {
    await running?.stop()
    running = undefined
  }
  await begin()
  atEnd(stop)

  return {
    async newHome() {
      const team = await createTestWorkspace(storage)
      const ask: DeliveringWorkspace['callApi'] = async (method, path, body) => {
        const headers = { authorization: `Bearer ${team.keys.owner}` }
        const url = `/api/v1${path}`
        const reply = await server.inject({ method, url, headers, ...(body && { payload: body }) })
        if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.body}`)
        return JSON.parse(reply.body || '{}')
      }
      return {
        storage,
        team,
        callApi: ask,
        stopSending: stop,
        startSending: begin,
        createTask: async (title) =>
          (await ask('POST', '/tasks', { project_id: team.project, title })).id,
        async createTasks(count) {
          const one = (title: string) => ({
            op: 'create',
            data: { project_id: team.project, title },
          })
          for (let at = 0; at < count; at += 100) {
            const size = Math.min(100, count - at)
            const operations = Array.from({ length: size }, (_, n) => one(`${at + n + 1}`))
            await ask('POST', '/tasks/bulk', { operations })
          }
        },
        createWebhook: (url, more = {}) =>
          ask('POST', '/webhooks', { url, events: ['*'], ...more }),
        deliveries: async (webhook, query = '') =>
          (await ask('GET', `/webhooks/${webhook}/deliveries?sort=created_at&limit=200${query}`))
            .data,
      }
    },
  }
}
