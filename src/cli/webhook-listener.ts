import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import { signatureOf, standardSignatureOf } from '#delivery/sign.ts'
import type { Told } from './webhook-told.ts'

/** What a listener is made of. */
export interface Listening {
  secret: string
  /** Where every post is sent on to, bytes and headers as they are; its status is the answer then. */
  to: URL | undefined
  told(told: Told): void
}

export interface Listener {
  url: string
  close(): Promise<void>
}

/** No event is larger. */
const MOST_BYTES = 2 ** 20
const TOLERANCE_SECONDS = 300
const PROBE_MS = 1_000
/** By it a listener is told from whatever else got its port later. */
const SIGN = { server: 'docket-webhook-listen' }
/** Of the connection, not of the message. */
const HOP = /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect)$/i

/** Takes posts at an address on the loopback that nobody guesses. */
export async function openListener({ secret, to, told }: Listening): Promise<Listener> {
  const path = `/${randomBytes(12).toString('base64url')}`
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy())
  })

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== path) return void response.writeHead(404).end()
    if (request.method !== 'POST') return void response.writeHead(204, SIGN).end()
    const body = await bodyOf(request)
    if (!body) return void response.writeHead(413, { connection: 'close' }).end()
    const forwarded_status = to ? await forward(request, body, to, response) : null
    if (!to) response.writeHead(204).end()
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const verified = isGenuine(headers, body, secret)
    told({ event: eventIn(body), headers, verified, forwarded_status })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Whether a listener takes posts at this address now. */
export async function isListening(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS), redirect: 'manual' })
    await reply.arrayBuffer()
    return reply.headers.get('server') === SIGN.server
  } catch {
    return false
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MOST_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Answers as the other one does; 502 where nobody does, and null is given. */
function forward(
  { rawHeaders }: IncomingMessage,
  body: Buffer,
  to: URL,
  response: ServerResponse,
): Promise<number | null> {
  const kept = ['Host', to.host]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!HOP.test(name)) kept.push(name, value)
  }
  return new Promise((resolve) => {
    const ask = to.protocol === 'https:' ? requestHttps : requestHttp
    const asked = ask(to, { method: 'POST', headers: kept }, (reply) => {
      const { statusCode = 502, headers } = reply
      const after = headers['retry-after']
      response.writeHead(statusCode, after === undefined ? {} : { 'retry-after': after })
      reply.pipe(response)
      reply.on('error', () => response.destroy())
      response.on('close', () => resolve(statusCode))
    })
    asked.on('error', () => {
      if (!response.headersSent) response.writeHead(502)
      response.end()
      resolve(null)
    })
    // Docket gives up in the end: then so does this.
    response.on('close', () => asked.destroy())
    asked.end(body)
  })
}

/** Checks both signatures of contract 8.6, and that the attempt is of now. */
function isGenuine(headers: Record<string, string>, body: Buffer, secret: string): boolean {
  const id = headers['webhook-id'] ?? ''
  const timestamp = Number(headers['webhook-timestamp'])
  const standard = standardSignatureOf({ id, timestamp, body, secret })
  const given = (headers['webhook-signature'] ?? '').split(' ')
  const now = Math.floor(Date.now() / 1000)
  return (
    given.some((one) => isSame(one, standard)) &&
    isSame(headers['x-service-signature'] ?? '', signatureOf(body, secret)) &&
    Math.abs(now - timestamp) <= TOLERANCE_SECONDS
  )
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** What is no JSON object did not come from Docket. */
function eventIn(body: Buffer): Told['event'] {
  try {
    const event: unknown = JSON.parse(body.toString())
    return typeof event === 'object' ? event : null
  } catch {
    return null
  }
}
