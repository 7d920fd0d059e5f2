import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CheckFailure } from '../check.ts'
import { parseObject, type ReplyBody } from './client.ts'

/** An event as it was delivered. */
export interface InboxDelivery {
  headers: IncomingHttpHeaders
  body: Buffer
  event: ReplyBody
}

/** Receives what the server under test sends to its webhooks. */
export interface WebhookInbox {
  /** Waits until a delivery to the webhook with this path satisfies the condition; returns all so far. */
  waitFor(
    path: string,
    condition: (delivery: InboxDelivery) => boolean,
    what: string,
  ): Promise<InboxDelivery[]>
  /** A new URL for a webhook; the first of its deliveries are answered with these statuses. */
  newUrl(...statuses: number[]): string
  /** The ids of the events that were delivered to this path so far. */
  received(path: string): string[]
  close(): void
}

/** Longer than the second attempt takes: 5 s, up to a fifth more, and the dispatch of each. */
const WAIT_TIMEOUT_MS = 15_000

/** Listens on the loopback interface at the port of the URL. */
export async function openWebhookInbox(url: URL): Promise<WebhookInbox> {
  const deliveries = new Map<string, InboxDelivery[]>()
  const statusesOf = new Map<string, number[]>()
  let wake = () => {}

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { headers, url: path = '' } = request
      const body = Buffer.concat(chunks)
      const received = { headers, body, event: parseObject(body.toString()) }
      deliveries.set(path, [...(deliveries.get(path) ?? []), received])
      response.writeHead(statusesOf.get(path)?.shift() ?? 204).end()
      wake()
    })
  })
  server.listen(Number(url.port), url.hostname)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  async function waitFor(
    path: string,
    condition: (delivery: InboxDelivery) => boolean,
    what: string,
  ) {
    const timeout = AbortSignal.timeout(WAIT_TIMEOUT_MS)
    while (!timeout.aborted) {
      const all = deliveries.get(path) ?? []
      if (all.some(condition)) return all
      await new Promise<void>((resolve) => {
        wake = resolve
        timeout.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    const types = (deliveries.get(path) ?? []).map(({ event }) => event.type)
    throw new CheckFailure(`${what} within 15 s`, `deliveries: ${types.join(', ') || 'none'}`)
  }

  return {
    waitFor,
    received: (path) => (deliveries.get(path) ?? []).map(({ event }) => event.id),
    newUrl(...statuses) {
      const path = `/hook-${statusesOf.size + 1}`
      statusesOf.set(path, statuses)
      return `http://${url.hostname}:${port}${path}`
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
