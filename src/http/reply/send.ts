import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { andThen, type MaybePromise } from '#lib/maybe-promise.ts'
import { etagOfCoding, findKnownEtag, type KnownTags } from './conditional-requests.ts'
import { type ContentCoding, chooseCoding, type SharedBody } from './content-coding.ts'

const MIN_COMPRESSED_LENGTH = 1_024
const JSON_TYPE = 'application/json; charset=utf-8'
/** Headers of a JSON reply beyond those of every reply. */
export const JSON_REPLY_HEADERS = { vary: 'Accept-Encoding', 'content-type': JSON_TYPE } as const

/**
 * The newest change that a reply to a page of the web app contains (docs/spec/api.md#internal-api-of-the-web-app). Of two
 * states of a record, the one with the greater number is the newer one.
 */
export const CHANGE_NUMBER_HEADER = 'x-change-number'

/** A body that was made for one reply. */
interface OwnBody {
  body?: string | Buffer
  precompressed?: undefined
}

/** A reply. `send` adds the headers that every reply carries: request id, rate limits, CORS. */
export type OutgoingReply = (OwnBody | SharedBody) & {
  status: number
  headers?: Record<string, string | string[]>
  /** Replies with a secret are not compressed, so that their length reveals nothing (BREACH). */
  secret?: boolean
}

/**
 * Sends the reply of any handler except those of downloads and live streams. Waits only for the
 * compression of the body.
 */
export function sendReply(
  request: FastifyRequest,
  reply: FastifyReply,
  outgoing: OutgoingReply,
): MaybePromise<void> {
  const { status, headers = {}, body = '', precompressed } = outgoing
  const all: OutgoingHttpHeaders = { ...request.replyHeaders }
  for (const name in headers) all[name] = headers[name]
  if (request.databaseTimes && status < 400) all['server-timing'] = formatServerTiming(request)
  if (body.length > 0 || status === 304) all.vary = 'Accept-Encoding'
  if (body.length > 0) all['content-type'] ??= JSON_TYPE
  const coding = selectCoding(request, outgoing)
  // A shared body takes no memory of its own, so clients that do not read it use up nobody's room.
  const count = (bytes: number) => {
    if (!precompressed) request.unsentReplies.count(request, bytes)
  }
  count(body.length)
  if (coding) {
    all['content-encoding'] = coding.name
    if (typeof headers.etag === 'string') all.etag = etagOfCoding(headers.etag, coding.name)
  }
  return andThen(coding ? (precompressed?.[coding.name] ?? coding.encode(body)) : body, (bytes) => {
    request.sentHeaders = all
    const length = writeReply(request.raw, reply.raw, { status, headers: all }, bytes)
    count(length - body.length)
    // Not before: Fastify drops the errors of a reply that it does not send itself.
    reply.hijack()
  })
}

/** Notes that the transaction of a request begins: until then it has waited for its turn. */
export function beginDatabaseTime(request: FastifyRequest): void {
  const began = performance.now()
  request.databaseTimes = { began, ended: began }
}

/** Notes that the transaction of a request has ended, a write with its commit. */
export function endDatabaseTime({ databaseTimes }: FastifyRequest): void {
  if (databaseTimes) databaseTimes.ended = performance.now()
}

/** What a reply waited for, in milliseconds (W3C Server Timing, docs/spec/api.md#headers-on-replies). */
function formatServerTiming({ arrivedAt, databaseTimes }: FastifyRequest): string {
  const { began = arrivedAt, ended = arrivedAt } = databaseTimes ?? {}
  const [queue, db, total] = [began - arrivedAt, ended - began, performance.now() - arrivedAt]
  return `queue;dur=${queue.toFixed(2)}, db;dur=${db.toFixed(2)}, total;dur=${total.toFixed(2)}`
}

/** Sends a reply that has an ETag, or 304 with the tag that the client has of it. */
export function sendIfModified(
  request: FastifyRequest,
  reply: FastifyReply,
  outgoing: OutgoingReply & { headers: { etag: string } },
  knownTags: KnownTags | undefined,
): MaybePromise<void> {
  const { headers } = outgoing
  const coding = selectCoding(request, outgoing)
  const etag = findKnownEtag(knownTags, headers.etag, coding?.name)
  return etag === undefined
    ? sendReply(request, reply, outgoing)
    : sendReply(request, reply, { status: 304, headers: { ...headers, etag } })
}

/** The coding in which a reply is sent; undefined if it is sent as it is. */
function selectCoding(
  request: FastifyRequest,
  { body = '', precompressed, secret = false }: OutgoingReply,
): ContentCoding | undefined {
  if (secret || body.length < MIN_COMPRESSED_LENGTH) return undefined
  const coding = chooseCoding(request.headers['accept-encoding'])
  return coding && (!precompressed || precompressed[coding.name]) ? coding : undefined
}

interface ReplyHead {
  status: number
  headers: OutgoingHttpHeaders
}

/** Writes a reply whose headers are complete except for Content-Length, and returns the length of its body. */
export function writeReply(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers }: ReplyHead,
  bytes: string | Buffer,
): number {
  const length = Buffer.byteLength(bytes)
  if (status !== 204 && status !== 304) headers['content-length'] = length
  if (outgoing.destroyed) return length
  outgoing.writeHead(status, headers)
  if (incoming.method === 'HEAD') outgoing.end()
  else if (headers.connection === 'close' && !incoming.complete && !incoming.readableEnded) {
    outgoing.write(bytes)
    endAfterLinger(incoming, outgoing)
  } else endAfterTurn(outgoing, bytes, encodingOf(bytes, length))
  return length
}

/** Text with one byte per character is ASCII, and Node writes Latin-1 without encoding it again. */
const encodingOf = (bytes: string | Buffer, length: number) =>
  bytes.length === length ? 'latin1' : 'utf8'

/** How long a client may pause while the rest of its request is dropped, and may take in all. */
const LINGER_MS = 2_000
const MAX_LINGER_MS = 15_000

/**
 * Reads and drops the rest of the request before ending: closing a socket with unread bytes resets
 * the connection, and the client could lose the reply.
 */
function endAfterLinger(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const end = () => {
    clearTimeout(pause)
    clearTimeout(total)
    outgoing.end()
  }
  const pause = setTimeout(end, LINGER_MS)
  const total = setTimeout(end, MAX_LINGER_MS)
  incoming
    .on('data', () => pause.refresh())
    .once('end', end)
    .once('close', end)
  incoming.resume()
}

/** As soon as this many are held, they leave: until the end of a turn with many requests it may take long. */
const MAX_HELD_REPLIES = 16

interface HeldReply {
  outgoing: ServerResponse
  bytes: string | Buffer
  encoding: BufferEncoding
}

let heldReplies: HeldReply[] = []

/**
 * Ends a reply at the end of the turn of the event loop, together with the others of the turn. To
 * wake a client up costs more than the rest of writing to its socket; while a server writes several
 * replies in a row, a client of many connections is awake after the first one. Without this a GET of a task
 * takes 1.15 to 1.19 times the processor time.
 */
function endAfterTurn(
  outgoing: ServerResponse,
  bytes: string | Buffer,
  encoding: BufferEncoding,
): void {
  if (heldReplies.length === 0) setImmediate(endHeldReplies)
  heldReplies.push({ outgoing, bytes, encoding })
  if (heldReplies.length >= MAX_HELD_REPLIES) endHeldReplies()
}

function endHeldReplies(): void {
  const replies = heldReplies
  heldReplies = []
  for (const { outgoing, bytes, encoding } of replies) outgoing.end(bytes, encoding)
}
