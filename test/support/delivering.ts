import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Registry } from 'prom-client'
import type { Engine } from '#core/tx.ts'
import type { Timing } from '#delivery/dispatcher.ts'
import { openStore } from '#storage/open.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'
import { startDelivering } from '../../src/delivering.ts'
import { emptyDir } from './dir.ts'
import { type Lent, log, SECRET } from './engines.ts'
import { type Home, newHome } from './home.ts'
import { atEnd, closing, migratedDatabase } from './store.ts'

/** What a receiver was sent. */
export interface Got {
  headers: IncomingHttpHeaders
  text: string
  event: {
    id: string
    type: string
    sequence: number | null
    data: { id: string; title: string }
  }
  /** Milliseconds since the receiver began. */
  at: number
  /** Milliseconds since 1970. */
  date: number
}

type Answer = (got: Got, response: ServerResponse) => void

/** A receiver on this machine: what it got, and how it answers from now on. */
export interface Receiver {
  url: string
  got: Got[]
  answer: Answer
}

export async function receiver(): Promise<Receiver> {
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
        at: performance.now() - began,
        date: Date.now(),
      }
      made.got.push(got)
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
  const made: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    got: [],
    answer: (_, response) => response.end('ok'),
  }
  return made
}

/** What the tests look at in records of webhooks, deliveries and problems. */
export interface Shown {
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
  data: Shown[]
}

/** A home in a Docket that sends. */
export interface Delivering {
  home: Home
  /** Asks the API as the owner; what is refused fails. */
  ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Shown>
  /** Makes a task, whose id it gives. */
  task(title: string): Promise<string>
  /** Makes so many tasks, a hundred in a request. */
  tasks(count: number): Promise<void>
  hook(url: string, more?: object): Promise<Shown>
  deliveries(webhook: string, query?: string): Promise<Shown[]>
  /** Stops sending, and goes on with it. */
  stop(): Promise<void>
  begin(): Promise<void>
}

export async function delivering(
  engine: Engine,
  env: Record<string, string> = {},
  lent: Lent & Timing = {},
): Promise<Delivering> {
  return (await openDelivering(engine, env, lent)).newHome()
}

/** A Docket that sends, on a database of its own: nobody else may send what is queued there. */
export async function openDelivering(
  engine: Engine,
  env: Record<string, string> = {},
  { clock, ...timing }: Lent & Timing = {},
): Promise<{ newHome(): Promise<Delivering> }> {
  const config = configFrom({
    DOCKET_DATA_DIR: emptyDir(),
    DOCKET_SECRET: SECRET,
    DOCKET_LIMIT_PAID: '1000000',
    DOCKET_WEBHOOK_RETRY_SECONDS: '0,0,0,0,0,0,0,0,0',
    ...(engine === 'postgres' && { DOCKET_DATABASE_URL: (await migratedDatabase()).url }),
    ...env,
  })
  const { storage } = await openStore({ ...config, guard: true, clock })
  closing(storage)
  const { server, house } = await app(storage, config, SECRET, log, undefined, { sheds: false })
  atEnd(() => server.close())
  let running: { stop(): Promise<void> } | undefined
  const begin = async () => {
    const sending = { ...house, registry: new Registry() }
    running = await startDelivering(storage, config, SECRET, sending, timing)
  }
  const stop = async () => {
    await running?.stop()
    running = undefined
  }
  await begin()
  atEnd(stop)

  return {
    async newHome() {
      const home = await newHome(storage)
      const ask: Delivering['ask'] = async (method, path, body) => {
        const headers = { authorization: `Bearer ${home.keys.owner}` }
        const url = `/api/v1${path}`
        const reply = await server.inject({ method, url, headers, ...(body && { payload: body }) })
        if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.body}`)
        return JSON.parse(reply.body || '{}')
      }
      return {
        ...{ home, ask, stop, begin },
        task: async (title) =>
          (await ask('POST', '/tasks', { project_id: home.project, title })).id,
        async tasks(count) {
          const one = (title: string) => ({
            op: 'create',
            data: { project_id: home.project, title },
          })
          for (let at = 0; at < count; at += 100) {
            const size = Math.min(100, count - at)
            const operations = Array.from({ length: size }, (_, n) => one(`${at + n + 1}`))
            await ask('POST', '/tasks/bulk', { operations })
          }
        },
        hook: (url, more = {}) => ask('POST', '/webhooks', { url, events: ['*'], ...more }),
        deliveries: async (webhook, query = '') =>
          (await ask('GET', `/webhooks/${webhook}/deliveries?sort=created_at&limit=200${query}`))
            .data,
      }
    },
  }
}

/** Waits until something is so; fails with `what` after some seconds. */
export async function until(what: string, is: () => unknown, ms = 30_000): Promise<void> {
  const end = performance.now() + ms
  while (!(await is())) {
    if (performance.now() > end) throw new Error(`It never came: ${what}`)
    await pause(5)
  }
}
