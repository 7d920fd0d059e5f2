import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '#core/actor.ts'
import type { Addressed, Asked, Route } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import { keyOf } from '#files/files.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { Download } from '#wire/file.ts'
import type { Static } from '#wire/schema.ts'
import { had, hasAlready } from './conditions.ts'
import { actorOf, type Handler, refuseMalformed } from './handling.ts'
import type { House } from './house.ts'
import { parametersOf, searchOf } from './parameters.ts'
import { PATIENCE } from './patience.ts'
import { rangeOf } from './range.ts'
import { send } from './send.ts'

type File = Static<typeof Download>

/** The way of a download: who asks is judged each time; then the bytes, as fast as they are taken. */
export function downloading(house: House, { endpoint, subject, operation }: Route): Handler {
  const parameters = parametersOf(endpoint)
  return async (request, reply) => {
    const actor = actorOf(request)
    const query = parameters(searchOf(request.raw.url ?? ''))
    const addressed = { params: request.params, query, body: undefined } as Addressed<Endpoint>
    const file = await house.storage.read(actor, async (tx) => {
      // A GET's subject and operation take a ReadTx by their types; a Route has forgotten it.
      refuseMalformed(request.params)
      const found = await subject(tx as WriteTx, addressed)
      return (await operation(tx as WriteTx, found, addressed as Asked<Endpoint>)) as File
    })
    const { headers } = request
    const etag = `"${file.sha256}"`
    const known = had(headers['if-none-match'])
    if (hasAlready(known, etag)) {
      return send(request, reply, { status: 304, headers: { etag, 'cache-control': CACHED } })
    }
    const isSame = headers['if-range'] === undefined || headers['if-range'] === etag
    const range = isSame ? rangeOf(headers.range, file.size_bytes) : undefined
    const { start, end } = range ?? { start: 0, end: file.size_bytes - 1 }
    const head = {
      ...headersOf(file, etag),
      'content-length': String(end - start + 1),
      ...(range && { 'content-range': `bytes ${start}-${end}/${file.size_bytes}` }),
    }
    if (request.method !== 'HEAD') await audit(house, actor, endpoint, request)
    const key = keyOf(actor.workspace_id, file.id)
    const bytes = await house.files.read(key, file.size_bytes, { start, end })
    if (request.method === 'HEAD') bytes.destroy()
    reply.hijack()
    reply.raw.writeHead(range ? 206 : 200, { ...request.outgoing, ...head })
    if (request.method === 'HEAD') return void reply.raw.end()
    await stream(house, request, reply, bytes, range ? undefined : file.sha256)
  }
}

/** Before the first byte, for what was sent cannot be had back. */
async function audit(
  { storage }: House,
  actor: Actor,
  { audited }: Endpoint,
  { params }: FastifyRequest,
): Promise<void> {
  if (!audited) return
  const { id } = params as { id: string }
  await storage.write(actor, async (tx) => tx.audit(audited, id, {}))
}

const CACHED = 'private, no-cache'

/** A browser shows none of it, whatever it may be (contract 7.3). */
const headersOf = ({ content_type, filename }: File, etag: string) => ({
  etag,
  'cache-control': CACHED,
  'content-type': content_type,
  'content-disposition': `attachment; filename*=UTF-8''${encoded(filename)}`,
  'content-security-policy': "sandbox; default-src 'none'",
  'accept-ranges': 'bytes',
})

/** As RFC 8187 has it: what encodeURIComponent leaves and may not stand there is encoded too. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** The reply has begun, so that only its end can tell of a fault: the connection breaks off. */
async function stream(
  { log }: House,
  request: FastifyRequest,
  { raw }: FastifyReply,
  bytes: Readable,
  sha256: string | undefined,
): Promise<void> {
  raw.setTimeout(PATIENCE.stalledMs, () => raw.destroy())
  try {
    // The file itself is the head of the pipeline, which closes it also where the client has gone before its first byte.
    if (sha256 === undefined) await pipeline(bytes, raw)
    else await pipeline(bytes, (source: AsyncIterable<Uint8Array>) => proven(source, sha256), raw)
  } catch (err) {
    if (!request.raw.destroyed || err instanceof Rotten) {
      log.error({ request_id: request.id, err }, 'A download broke off')
    }
    raw.destroy()
  }
}

class Rotten extends Error {}

/**
 * The bytes, of which the last are held back until all of them are known to be those that were sent:
 * what has rotted on the disk is never taken for the file.
 */
async function* proven(bytes: AsyncIterable<Uint8Array>, sha256: string) {
  const hash = createHash('sha256')
  let held: Uint8Array | undefined
  for await (const chunk of bytes) {
    if (held) yield held
    hash.update(chunk)
    held = chunk
  }
  if (hash.digest('hex') !== sha256) throw new Rotten('The bytes are not those that were sent')
  if (held) yield held
}
