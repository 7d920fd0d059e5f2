import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Envelope } from './envelope.ts'
import type { Inbox } from './inbox.ts'
import { isFromDocket } from './signature.ts'

/** No event is larger. */
const MOST_BYTES = 2 ** 20

const CLOSE = { connection: 'close' }

/** Takes what Docket posts to `/hook`, and calls `onTaken` after each event that is new. */
export function receiver(secret: string, inbox: Inbox, onTaken: () => void): Server {
  const server = createServer((request, response) => {
    taken(request).then(
      (status) => response.writeHead(status, status === 413 ? CLOSE : {}).end(),
      (error: Error) => {
        // A full disk, say. Anything but 2xx is sent again later, so nothing is lost.
        console.error(error.message)
        response.writeHead(500, CLOSE).end()
      },
    )
  })
  server.requestTimeout = 10_000
  return server

  /** The status to answer with. Only what must be safe is done before: the work comes later. */
  async function taken(request: IncomingMessage): Promise<number> {
    if (request.url !== '/hook') return 404
    if (request.method !== 'POST') return 405
    const body = await bytesOf(request)
    if (!body) return 413
    // Over the bytes as they came: parsed and written anew they would be others.
    if (!isFromDocket(request.headers, body, secret)) return 401
    const text = body.toString()
    if (inbox.take(JSON.parse(text) as Envelope, text)) onTaken()
    return 204
  }
}

/** The body, or undefined where it is larger than an event can be. */
async function bytesOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  // Not destroyed on return: the refusal still has to go out.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > MOST_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
