import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const COMPRESSED_FROM = 1_024
const JSON_TYPE = 'application/json; charset=utf-8'
/** What a reply of JSON carries beside what every one does. */
export const JSON_REPLY = { vary: 'Accept-Encoding', 'content-type': JSON_TYPE } as const
const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** A reply as it goes out. Headers of the request's way (id, limits, CORS) join by themselves. */
export interface Outgoing {
  status: number
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  /** By coding, if it was compressed beforehand; what is missing here is then sent as it is. */
  packed?: { br?: Buffer; gzip?: Buffer }
  /** Replies with a secret are not compressed: their length must not tell of it. */
  secret?: boolean
}

/** The one way out: every reply of every kind leaves here. */
export async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers = {}, body = '', packed, secret = false }: Outgoing,
): Promise<void> {
  reply.hijack()
  const all: OutgoingHttpHeaders = { ...request.outgoing, ...headers }
  let bytes: string | Buffer = body
  if (body.length > 0 || status === 304) all.vary = 'Accept-Encoding'
  if (body.length > 0) {
    all['content-type'] ??= JSON_TYPE
    if (!secret && body.length >= COMPRESSED_FROM) {
      const coding = codingFor(request.headers['accept-encoding'])
      const coded = coding && (packed ? packed[coding.name] : await coding.encode(body))
      if (coding && coded) {
        bytes = coded
        all['content-encoding'] = coding.name
      }
    }
  }
  write(request.raw, reply.raw, { status, headers: all }, bytes)
}

/** What goes before the body of a reply. */
interface Head {
  status: number
  headers: OutgoingHttpHeaders
}

/** Writes a reply, which has all its headers but the length. */
export function write(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers }: Head,
  bytes: string | Buffer,
): void {
  const length = Buffer.byteLength(bytes)
  if (status !== 204 && status !== 304) headers['content-length'] = length
  if (outgoing.destroyed) return
  outgoing.writeHead(status, headers)
  if (incoming.method === 'HEAD') outgoing.end()
  else if (headers.connection === 'close' && !incoming.complete) {
    outgoing.write(bytes)
    linger(incoming, outgoing)
  } else outgoing.end(bytes, encodingOf(bytes, length))
}

/** A text as long as its bytes is ASCII alone, and written without looking at it again. */
const encodingOf = (bytes: string | Buffer, length: number) =>
  bytes.length === length ? 'latin1' : 'utf8'

const LINGER_MS = 2_000

/**
 * A socket that is closed with bytes unread is reset, and the reply may be lost on the way. So what
 * still comes is read and dropped for a moment; the client has its whole reply meanwhile.
 */
function linger(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const end = () => {
    clearTimeout(timer)
    outgoing.end()
  }
  const timer = setTimeout(end, LINGER_MS)
  incoming.once('close', end).resume()
}

interface Coding {
  name: 'br' | 'gzip'
  encode: (body: string | Buffer) => Promise<Buffer>
}

const CODINGS: readonly Coding[] = [
  {
    name: 'br',
    encode: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  },
  { name: 'gzip', encode: (body) => gzipped(body, { level: 4 }) },
]

/** The first coding that the client takes; `q=0` refuses one. */
function codingFor(accepted: string | string[] | undefined): Coding | undefined {
  if (typeof accepted !== 'string') return undefined
  const taken = new Map(
    accepted.split(',').map((part) => {
      const [name = '', ...rules] = part.split(';').map((one) => one.trim().toLowerCase())
      return [name, !rules.some((rule) => /^q=0(\.0*)?$/.test(rule))]
    }),
  )
  return CODINGS.find(({ name }) => taken.get(name) ?? taken.get('*') ?? false)
}
