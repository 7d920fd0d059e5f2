import { createHmac, randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { CheckFailure, type CheckSubject, createRedactor, shorten } from '../check.ts'

/** One request to a receiver. */
export interface ReceiverRequest {
  headers: Record<string, string>
  body: Buffer
  /** How many pieces the body is sent in, with a pause between them; 1 by default. */
  pieces?: number
}

/** How a delivery is signed. */
export interface Signature {
  /** Signs with each of them: the second is that before a rotation. */
  secrets: readonly [secret: string, previous?: string]
  /** Seconds that the timestamp is ahead of the clock; negative: behind. */
  shift?: number
  attempt?: number
}

/** Docket gives up then, and counts the attempt as failed. */
const REPLY_TIMEOUT_MS = 10_000
const PAUSE_BETWEEN_PIECES_MS = 100
const MAX_REPLY_CHARS = 1_000

const ID_CHARACTERS = '0123456789abcdefghjkmnpqrstvwxyz'
const newId = (type: string): string => {
  const random = [...randomBytes(24)].map((byte) => ID_CHARACTERS[byte % ID_CHARACTERS.length])
  return `${type}_01${random.join('')}`
}

/** A secret that the receiver does not know. */
export const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

/** The body of an event: a task whose title has changed, unless `more` replaces members. */
export function createEvent(title: string, more: Record<string, unknown> = {}) {
  const task = newId('tsk')
  const person = newId('usr')
  const project_id = newId('prj')
  const time = new Date().toISOString()
  return {
    id: newId('evt'),
    type: 'task.updated',
    timestamp: time,
    workspace_id: newId('wsp'),
    project_id,
    sequence: 1,
    operation_id: newId('opr'),
    api_version: 'v1',
    actor: {
      type: 'api_key',
      user_id: person,
      name: 'Docket conformance kit',
      credential_id: newId('key'),
    },
    data: {
      ...{ id: task, project_id, number: 1, short_id: 'TEST-1' },
      url: `https://docket.example.com/w/${task}/t/TEST-1`,
      ...{ title, description: null, status: 'todo', status_category: 'unstarted' },
      ...{ completed_at: null, completed_by_id: null, canceled_at: null, priority: 'none' },
      ...{ assignee_ids: [], tag_ids: [], start_date: null, due_date: null, due_at: null },
      ...{ parent_id: null, position: 'a0', estimate_seconds: null, time_spent_seconds: 0 },
      ...{ blocked_by_ids: [], blocking_ids: [], recurrence: null, recurred_from_id: null },
      ...{ custom_fields: {}, external_source: null, external_id: null, metadata: {} },
      ...{ comment_count: 0, attachment_count: 0, subtask_count: 0, completed_subtask_count: 0 },
      ...{ version: 2, created_by_id: person, created_at: time, updated_at: time },
      deleted_at: null,
    },
    changes: { title: { from: 'Before', to: title } },
    ...more,
  }
}

/** Signs a body as Docket does: https://www.standardwebhooks.com and `X-Service-Signature`. */
export function signDelivery(
  event: { id: string; type: string },
  body: string | Buffer,
  { secrets, shift = 0, attempt = 1 }: Signature,
): ReceiverRequest {
  const [secret, previous] = secrets
  const timestamp = String(Math.floor(Date.now() / 1000) + shift)
  const sign = (one: string) => createStandardSignature(one, `${event.id}.${timestamp}.`, body)
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': 'Docket-Webhooks/1',
    'X-Service-Signature': createServiceSignature(secret, body),
    'X-Service-Event': event.type,
    'X-Service-Delivery': newId('dlv'),
    'X-Service-Attempt': String(attempt),
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': sign(secret),
  }
  if (previous !== undefined) {
    headers['X-Service-Signature-Previous'] = createServiceSignature(previous, body)
    headers['webhook-signature'] += ` ${sign(previous)}`
  }
  return { headers, body: Buffer.from(body) }
}

/** One value of `webhook-signature`. */
export const createStandardSignature = (
  secret: string,
  head: string,
  body: string | Buffer,
): string => `v1,${createHmac('sha256', toKey(secret)).update(head).update(body).digest('base64')}`

/** The value of `X-Service-Signature`. */
export const createServiceSignature = (secret: string, body: string | Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

const PREFIX = 'whsec_'
/** Strict, because Node would also decode what other programs reject. */
const PADDED_BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/

/** The bytes after `whsec_` if they are base64 of 16 to 64 bytes, otherwise the whole text. */
function toKey(secret: string): string | Buffer {
  const encoded = secret.slice(PREFIX.length)
  if (!secret.startsWith(PREFIX) || !PADDED_BASE64.test(encoded)) return secret
  const key = Buffer.from(encoded, 'base64')
  return key.length >= 16 && key.length <= 64 ? key : secret
}

/** A receiver under test. */
export interface ReceiverSubject extends CheckSubject {
  secret: string
  /** Sends a delivery and returns the status of the reply. */
  send(delivery: ReceiverRequest): Promise<number>
}

/** Creates the subject of the checks of a receiver. */
export function createReceiverSubject(
  url: URL,
  secret: string,
  options: ReadonlySet<string>,
): ReceiverSubject {
  const exchanges: ReceiverSubject['exchanges'] = []
  const redact = createRedactor([secret])

  async function send(delivery: ReceiverRequest): Promise<number> {
    const { headers, body } = delivery
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const shown = [`POST ${url.pathname}${url.search}`, ...lines, '', shorten(body.toString())]
    const exchange = { request: redact(shown.join('\n')), reply: 'none' }
    exchanges.push(exchange)
    const began = performance.now()
    try {
      const { status, text } = await post(url, delivery)
      exchange.reply = redact(shorten(`${status} ${text}`.trim()))
      return status
    } catch (error) {
      const elapsed = Math.round(performance.now() - began)
      const reason = error instanceof Error ? error.message : String(error)
      throw new CheckFailure('a reply within 10 s', `${reason} after ${elapsed} ms`, exchange)
    }
  }
  return { options, exchanges, secret, send }
}

/** Each request has a connection of its own: one that a receiver closes disturbs no other. */
function post(
  url: URL,
  { headers, body, pieces = 1 }: ReceiverRequest,
): Promise<{ status: number; text: string }> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'Content-Length': body.length },
      signal: AbortSignal.timeout(REPLY_TIMEOUT_MS),
    })
    outgoing.on('error', reject)
    outgoing.on('response', (reply) => {
      let text = ''
      const finish = () => resolve({ status: reply.statusCode ?? 0, text })
      reply.setEncoding('utf8')
      reply.on('data', (piece: string) => {
        if (text.length < MAX_REPLY_CHARS) text += piece
      })
      // A receiver that refuses by the headers may close before it has read the body.
      reply.on('end', finish).on('error', finish)
    })
    writePieces(body, pieces, (piece) => outgoing.write(piece)).then(() => outgoing.end(), reject)
  })
}

async function writePieces(body: Buffer, count: number, write: (piece: Buffer) => void) {
  const size = Math.ceil(body.length / count)
  for (let from = 0; from < body.length; from += size) {
    if (from > 0) await pause(PAUSE_BETWEEN_PIECES_MS)
    write(body.subarray(from, from + size))
  }
}
