import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import { signBody, signStandardWebhook } from '#webhooks/sending/attempt.ts'

/** A delivery as the listener received it. */
export interface ReceivedDelivery {
  /** The event; null if the body is not one. */
  event: object | null
  /** By name in lower case. */
  headers: Record<string, string>
  /** Whether the signatures are valid. */
  verified: boolean
  /** The response status of the forward address; null without an address or a response. */
  forwarded_status: number | null
}

const MAX_NAME_LENGTH = 60
/** The fields that can hold the name of a record, by preference. */
const NAME_FIELDS = ['title', 'name', 'filename', 'body'] as const

/** Formats a delivery as a line. `isForwarding` says whether the listener has a forward address. */
export function formatDelivery(delivery: ReceivedDelivery, isForwarding: boolean): string {
  const { event, headers, verified, forwarded_status } = delivery
  const forwardResult = forwarded_status === null ? 'not reached' : String(forwarded_status)
  const words = [
    new Date().toISOString().slice(11, 23),
    headers['x-service-event'] ?? 'no event',
    ...describeRecord(event),
    headers['x-service-delivery'] ?? '',
    `attempt ${headers['x-service-attempt'] ?? '?'}`,
    verified ? 'verified' : 'NOT VERIFIED',
    isForwarding ? `→ ${forwardResult}` : '',
  ]
  // Any program on this machine can post here, so control characters must not reach the terminal.
  return words
    .filter((word) => word !== '')
    .join('  ')
    .replaceAll(/\p{C}/gu, '·')
}

function describeRecord(event: object | null): string[] {
  if (!event || !('data' in event) || typeof event.data !== 'object' || !event.data) return []
  const data = event.data as Record<string, unknown>
  const name = NAME_FIELDS.map((one) => data[one]).find((value) => typeof value === 'string')
  return [data.short_id, name]
    .filter((value) => typeof value === 'string')
    .map((value) => (value.split('\n')[0] ?? '').slice(0, MAX_NAME_LENGTH))
}

/** The options of a listener. */
interface WebhookListenerOptions {
  secret: string
  /** Every delivery is forwarded there unchanged, and the status of the response is passed back. */
  forwardTo: URL | undefined
  onDelivery(delivery: ReceivedDelivery): void
}

interface WebhookListener {
  url: string
  close(): Promise<void>
}

/** The limit for an event. */
const MAX_BODY_BYTES = 2 ** 20
const TOLERANCE_SECONDS = 300
const PROBE_TIMEOUT_MS = 1_000
/** Distinguishes a listener from another program that got its port later. */
const SERVER_HEADER = { server: 'docket-webhook-listen' }
/** Headers of the connection, which are not forwarded. */
const HOP_BY_HOP_HEADER =
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect)$/i

/** Listens for deliveries on a loopback address with a random path that cannot be guessed. */
export async function openWebhookListener({
  secret,
  forwardTo,
  onDelivery,
}: WebhookListenerOptions): Promise<WebhookListener> {
  const path = `/${randomBytes(12).toString('base64url')}`
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy())
  })

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== path) return void response.writeHead(404).end()
    if (request.method !== 'POST') return void response.writeHead(204, SERVER_HEADER).end()
    const body = await readBody(request)
    if (!body) return void response.writeHead(413, { connection: 'close' }).end()
    const forwarded_status = forwardTo ? await forward(request, body, forwardTo, response) : null
    if (!forwardTo) response.writeHead(204).end()
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const verified = isSignatureValid(headers, body, secret)
    onDelivery({ event: parseEvent(body), headers, verified, forwarded_status })
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

/** Whether a listener runs at this address now. */
export async function isWebhookListener(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
      redirect: 'manual',
    })
    await response.arrayBuffer()
    return response.headers.get('server') === SERVER_HEADER.server
  } catch {
    return false
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Passes the response on and returns its status. Without one, responds with 502 and returns null.
 */
function forward(
  { rawHeaders }: IncomingMessage,
  body: Buffer,
  target: URL,
  response: ServerResponse,
): Promise<number | null> {
  const headers = ['Host', target.host]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!HOP_BY_HOP_HEADER.test(name)) headers.push(name, value)
  }
  return new Promise((resolve) => {
    const request = target.protocol === 'https:' ? requestHttps : requestHttp
    const forwarded = request(target, { method: 'POST', headers }, (reply) => {
      const { statusCode = 502 } = reply
      const retryAfter = reply.headers['retry-after']
      response.writeHead(statusCode, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
      reply.pipe(response)
      reply.on('error', () => response.destroy())
      response.on('close', () => resolve(statusCode))
    })
    forwarded.on('error', () => {
      if (!response.headersSent) response.writeHead(502)
      response.end()
      resolve(null)
    })
    // Docket closes the connection at its timeout.
    response.on('close', () => forwarded.destroy())
    forwarded.end(body)
  })
}

/** Checks both signatures (docs/spec/api.md#signatures-and-secrets) and that the timestamp is recent. */
function isSignatureValid(headers: Record<string, string>, body: Buffer, secret: string): boolean {
  const id = headers['webhook-id'] ?? ''
  const timestamp = Number(headers['webhook-timestamp'])
  const standard = signStandardWebhook({ id, timestamp, body, secret })
  const signatures = (headers['webhook-signature'] ?? '').split(' ')
  const now = Math.floor(Date.now() / 1000)
  return (
    signatures.some((one) => isEqualConstantTime(one, standard)) &&
    isEqualConstantTime(headers['x-service-signature'] ?? '', signBody(body, secret)) &&
    Math.abs(now - timestamp) <= TOLERANCE_SECONDS
  )
}

function isEqualConstantTime(actual: string, expected: string): boolean {
  const [one, other] = [Buffer.from(actual), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Returns null for a body that is no JSON object, which cannot come from Docket. */
function parseEvent(body: Buffer): ReceivedDelivery['event'] {
  try {
    const event: unknown = JSON.parse(body.toString())
    return typeof event === 'object' ? event : null
  } catch {
    return null
  }
}
