import type { WebhookEvent } from './types.ts'

/** What is wrong with a request that claims to come from Docket. */
export type WebhookErrorCode =
  | 'missing_header'
  | 'stale'
  | 'wrong_signature'
  | 'body_too_large'
  | 'parsed_body'
  | 'missing_secret'

const STATUSES: Record<WebhookErrorCode, number> = {
  missing_header: 401,
  stale: 401,
  wrong_signature: 401,
  body_too_large: 413,
  // Mistakes of the receiver: Docket sends the event again once they are corrected.
  parsed_body: 500,
  missing_secret: 500,
}

/** Why a request was not accepted. The message is for your log: reply `status` without a reason. */
export class WebhookError extends Error {
  readonly code: WebhookErrorCode
  /** What to reply. */
  readonly status: number

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.name = 'WebhookError'
    this.code = code
    this.status = STATUSES[code]
  }
}

/** Headers as `fetch`, Node or a cloud function hand them over; names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** What decides whether a request is genuine. */
export interface WebhookOptions {
  /** The secret of the webhook; several, of which one must match, while you rotate it. */
  secret: string | readonly string[]
  /** How old a request may be, because somebody could have recorded it. Default: 300. */
  toleranceSeconds?: number
  /** The time in milliseconds since 1970, for tests. Default: now. */
  now?: number
}

/** A request whose body you have read yourself, without parsing it. */
export interface RawWebhook extends WebhookOptions {
  /** The body exactly as it arrived. */
  body: Uint8Array | string
  headers: WebhookHeaders
}

/**
 * A request of a framework: a `Request` (Hono: `c.req.raw`), an `IncomingMessage` of Node, or a request of
 * Express or Fastify whose body is unread or raw.
 */
export interface WebhookRequest {
  readonly headers: WebhookHeaders
  readonly body?: unknown
  readonly bodyUsed?: boolean
  readonly readableDidRead?: boolean
}

/** Events are never larger. */
const MAX_EVENT_BYTES = 2 ** 20
const DEFAULT_TOLERANCE_SECONDS = 300

const RAW_BODY_HINTS = {
  Express:
    "In Express, give this route express.raw({ type: 'application/json' }), and app.use(express.json()) only after it.",
  Fastify:
    "In Fastify, call app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body)) and pass the request.",
  Fetch:
    'With a fetch Request, pass it before anything reads it, or pass `await request.text()` in place of .json(); in Hono, `await c.req.text()`.',
}

/** Reads the event of a request, after it has verified that Docket sent it just now. */
export async function receiveWebhook(
  request: WebhookRequest,
  options: WebhookOptions,
): Promise<WebhookEvent> {
  const { headers } = request
  // First: strangers need not be listened to for long.
  checkHeaders(headers, options)
  return verifyWebhook({ ...options, headers, body: await readBody(request) })
}

/**
 * Returns the event of a request if Docket has sent it just now, and throws a `WebhookError` otherwise. Both
 * signatures are verified; `webhook-signature` is required, because it alone covers the time.
 */
export async function verifyWebhook(webhook: RawWebhook): Promise<WebhookEvent> {
  const { body, headers } = webhook
  const { id, timestamp, signatures, secrets } = checkHeaders(headers, webhook)
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) throw parsedBody()
  const isSignedWith = (signature: string) => signatures.some((theirs) => isSame(theirs, signature))
  const serviceSignatures = ['x-service-signature', 'x-service-signature-previous']
    .map((name) => findHeader(headers, name))
    .filter((value) => value !== undefined)
  for (const secret of secrets) {
    const mine = await sign(secret, id, timestamp, body)
    const isService = serviceSignatures.some((theirs) => isSame(theirs, mine.service))
    if (isSignedWith(mine.standard) && (isService || serviceSignatures.length === 0)) {
      return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
    }
  }
  throw new WebhookError(
    'wrong_signature',
    'No signature matches. Is this the secret of this webhook (Docket shows it once, when it is created or rotated), and the body exactly as it arrived?',
  )
}

/**
 * The headers that Docket would send with this body, for tests of your receiver. With several secrets it
 * signs with each, the new one first, as during a rotation.
 */
export async function signWebhook({
  body,
  secret,
  id = `evt_test_${crypto.randomUUID()}`,
  now = Date.now(),
}: {
  body: Uint8Array | string
  secret: string | readonly string[]
  id?: string
  now?: number
}): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = await Promise.all(
    toSecrets(secret).map((one) => sign(one, id, timestamp, body)),
  )
  const [current, previous] = signatures.map(({ service }) => service)
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map(({ standard }) => standard).join(' '),
    ...(current !== undefined && { 'x-service-signature': current }),
    ...(previous !== undefined && { 'x-service-signature-previous': previous }),
  }
}

/** Checks what needs no body: that the request is signed, and when. */
function checkHeaders(headers: WebhookHeaders, options: WebhookOptions) {
  const { secret, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = Date.now() } = options
  const secrets = toSecrets(secret)
  const [id = '', timestamp = '', signature = ''] = ['id', 'timestamp', 'signature'].map((part) => {
    const value = findHeader(headers, `webhook-${part}`)
    if (value) return value
    const message = `The header webhook-${part} is missing. Does a proxy remove it, or does somebody else send this request?`
    throw new WebhookError('missing_header', message)
  })
  const ageSeconds = /^\d{1,12}$/.test(timestamp) ? now / 1000 - Number(timestamp) : Number.NaN
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) {
    const message = `webhook-timestamp (${timestamp}) is more than ${toleranceSeconds} seconds from the clock of this computer. Is the clock right? Otherwise somebody repeats an old request.`
    throw new WebhookError('stale', message)
  }
  return { id, timestamp, signatures: signature.split(' '), secrets }
}

function findHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name && value !== undefined) return [value].flat().join(' ')
  }
  return undefined
}

/** Anybody can sign with an empty secret, which is what a forgotten variable of the environment is. */
function toSecrets(secret: string | readonly string[]): string[] {
  const secrets = [secret].flat()
  if (secrets.length > 0 && secrets.every((one) => typeof one === 'string' && one !== '')) {
    return secrets
  }
  throw new WebhookError('missing_secret', 'secret is empty. Is its environment variable set?')
}

async function readBody(request: WebhookRequest): Promise<Uint8Array | string> {
  const { headers, body, bodyUsed, readableDidRead } = request
  if (body instanceof Uint8Array || typeof body === 'string') return body
  // A `Request` without a body has null, an unread one of Node none.
  if (body === null) return ''
  const stream = body ?? request
  if (bodyUsed || readableDidRead || !isByteStream(stream)) throw parsedBody(request)
  let size = Number(findHeader(headers, 'content-length') ?? 0)
  if (size > MAX_EVENT_BYTES) throw tooLarge()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > MAX_EVENT_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

function isByteStream(body: object): body is AsyncIterable<Uint8Array<ArrayBuffer>> {
  return Symbol.asyncIterator in body
}

const tooLarge = () =>
  new WebhookError('body_too_large', `The body is larger than ${MAX_EVENT_BYTES} bytes: no event.`)

function parsedBody(request: object = {}): WebhookError {
  const { Express, Fastify, Fetch } = RAW_BODY_HINTS
  let hints = [Express, Fastify, Fetch]
  if ('bodyUsed' in request) hints = [Fetch]
  else if ('raw' in request) hints = [Fastify]
  else if ('app' in request) hints = [Express]
  const message = `The body was read or parsed before, and its signature covers the bytes. ${hints.join(' ')}`
  return new WebhookError('parsed_body', message)
}

const utf8 = new TextEncoder()

/** Both signatures of a body, as docs/spec/api.md#signatures-and-secrets defines them. */
async function sign(
  secret: string,
  id: string,
  timestamp: string,
  body: Uint8Array | string,
): Promise<{ standard: string; service: string }> {
  const bytes = new Uint8Array(typeof body === 'string' ? utf8.encode(body) : body)
  const signed = new Uint8Array(
    await new Blob([utf8.encode(`${id}.${timestamp}.`), bytes]).arrayBuffer(),
  )
  const standard = await createMac(toStandardKey(secret), signed)
  const service = await createMac(utf8.encode(secret), bytes)
  const hex = Array.from(service, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { standard: `v1,${btoa(String.fromCharCode(...standard))}`, service: `sha256=${hex}` }
}

async function createMac(key: BufferSource, signed: BufferSource): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const hmacKey = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', hmacKey, signed))
}

const BASE64_SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

/** The decoded base64 of a secret if that has 16 to 64 bytes, otherwise the text. */
function toStandardKey(secret: string): Uint8Array<ArrayBuffer> {
  const [, encoded = ''] = BASE64_SECRET.exec(secret) ?? []
  const key = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0))
  return key.length >= 16 && key.length <= 64 ? key : utf8.encode(secret)
}

/** Always compares everything: the time that it takes must not depend on how much of a forgery is right. */
function isSame(theirs: string, mine: string): boolean {
  let difference = theirs.length ^ mine.length
  for (let at = 0; at < mine.length; at += 1) {
    difference |= theirs.charCodeAt(at) ^ mine.charCodeAt(at)
  }
  return difference === 0
}
