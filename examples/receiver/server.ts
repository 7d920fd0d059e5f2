import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { WebhookEvent } from './envelope.ts'
import type { EventInbox } from './inbox.ts'
import { isSignedByDocket } from './signature.ts'

/** Events are never larger. */
const MAX_EVENT_BYTES = 2 ** 20

const CLOSE = { connection: 'close' }

/** Receives webhooks at `/hook`, and calls `onTaken` after each new event. */
export function createWebhookServer(
  secret: string,
  inbox: EventInbox,
  onTaken: () => void,
): Server {
  const server = createServer((request, response) => {
    takeRequest(request).then(
      (status) => response.writeHead(status, status === 413 ? CLOSE : {}).end(),
      (error: Error) => {
        // For example a full disk. Docket retries after any other status than 2xx.
        console.error(error.message)
        response.writeHead(500, CLOSE).end()
      },
    )
  })
  server.requestTimeout = 10_000
  return server

  /** Returns the response status. Only storing the event comes first: handling it happens later. */
  async function takeRequest(request: IncomingMessage): Promise<number> {
    if (request.url !== '/hook') return 404
    if (request.method !== 'POST') return 405
    const body = await readBody(request)
    if (!body) return 413
    // Over the raw bytes: parsing and serializing would change them.
    if (!isSignedByDocket(request.headers, body, secret)) return 401
    const text = body.toString()
    if (inbox.take(JSON.parse(text) as WebhookEvent, text)) onTaken()
    return 204
  }
}

/** Reads the body; undefined if it is larger than any event. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  // Keeps the socket open on an early return, because the 413 still has to be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > MAX_EVENT_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
