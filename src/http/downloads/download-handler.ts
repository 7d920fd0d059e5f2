import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { withActionLimits } from '#auth/sign-in/attempt-limits.ts'
import { ApiError } from '#core/api-error.ts'
import type { DownloadFile, DownloadRoute } from '#core/route.ts'
import { type ByteRange, fileKey } from '#files/files.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { AppContext } from '../app-context.ts'
import { getActor, type RequestHandler } from '../pipeline/request-handler.ts'
import { isNotModified, parseIfNoneMatch } from '../reply/conditional-requests.ts'
import { sendReply } from '../reply/send.ts'
import { sendPiece, streamReply } from '../reply/stream-reply.ts'
import { createQueryParser, getQueryString } from '../request/query-parameters.ts'

/**
 * Parses a Range header for a file of `size` bytes (RFC 9110 §14.2). Returns undefined for the
 * whole file, also if the header is malformed or has several ranges; throws 416 for a range beyond
 * the end.
 */
function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, from = '', to = ''] =
    /^bytes[ \t]*=[ \t]*(\d{0,15})-(\d{0,15})$/i.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from === '') {
    if (Number(to) === 0) throw notSatisfiable(size)
    return { start: Math.max(size - Number(to), 0), end: size - 1 }
  }
  const start = Number(from)
  const end = to === '' ? size - 1 : Number(to)
  if (to !== '' && end < start) return undefined
  if (start >= size) throw notSatisfiable(size)
  return { start, end: Math.min(end, size - 1) }
}

const notSatisfiable = (size: number) =>
  new ApiError(
    416,
    'range_not_satisfiable',
    `The requested range is outside of the file, which has ${size} bytes.`,
    {
      headers: { 'content-range': `bytes */${size}` },
    },
  )

/**
 * Every download, also of the same file, is authorized anew; the client sets the pace of the bytes.
 */
export function createDownloadHandler(
  context: AppContext,
  { endpoint, run }: DownloadRoute,
): RequestHandler {
  const parseQuery = createQueryParser(endpoint)
  return async (request, reply) => {
    const actor = getActor(request)
    const query = parseQuery(getQueryString(request.raw.url ?? ''))
    const addressed = { params: request.params, query, body: undefined }
    const file = await context.storage.read(actor, async (tx) => run(tx, addressed))
    const { headers } = request
    const etag = `"${file.sha256}"`
    if (isNotModified(parseIfNoneMatch(headers['if-none-match']), etag)) {
      return sendReply(request, reply, {
        status: 304,
        headers: { etag, 'cache-control': CACHE_CONTROL },
      })
    }
    const isRangeValid = headers['if-range'] === undefined || headers['if-range'] === etag
    const range = isRangeValid ? parseRange(headers.range, file.size_bytes) : undefined
    const { start, end } = range ?? { start: 0, end: file.size_bytes - 1 }
    const head = {
      ...headersOf(file, etag),
      'content-length': String(end - start + 1),
      ...(range && { 'content-range': `bytes ${start}-${end}/${file.size_bytes}` }),
    }
    if (request.method !== 'HEAD') await auditDownload(context, endpoint, request)
    const key = fileKey(actor.workspace_id, file.id)
    const bytes = await context.files.read(key, file.size_bytes, { start, end })
    const expected = { length: end - start + 1, sha256: range ? undefined : file.sha256 }
    try {
      const status = range ? 206 : 200
      await streamReply(context, request, reply, { status, headers: head }, () =>
        request.method === 'HEAD'
          ? void reply.raw.end()
          : sendBytes(request, reply, bytes, expected),
      )
    } finally {
      // Its file is open, also if not a byte was read.
      bytes.destroy()
    }
  }
}

/** Recorded before the first byte is sent: bytes that have left cannot be taken back. */
async function auditDownload(
  { storage }: AppContext,
  endpoint: Endpoint,
  request: FastifyRequest,
): Promise<void> {
  const { auditAction } = endpoint
  if (!auditAction) return
  const { id } = request.params as { id: string }
  const actor = getActor(request)
  await withActionLimits(storage, endpoint, { actor, address: request.ip }, () =>
    storage.write(actor, async (tx) => tx.audit(auditAction, id, {})),
  )
}

const CACHE_CONTROL = 'private, no-cache'

/** No browser may render the file, whatever its type is (docs/spec/api.md#extensions). */
const headersOf = ({ content_type, filename }: DownloadFile, etag: string) => ({
  etag,
  'cache-control': CACHE_CONTROL,
  'content-type': content_type,
  'content-disposition': contentDisposition(filename),
  'content-security-policy': "sandbox; default-src 'none'",
  'accept-ranges': 'bytes',
})

/**
 * The name for browsers, and before it in ASCII for programs such as `curl -OJ` that know no `filename*`
 * (RFC 6266 §5, appendix D). They differ in how they read quotes, backslashes and percent signs.
 */
function contentDisposition(filename: string): string {
  const ascii = filename
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\w .()+-]/g, '_')
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeExtendedValue(filename)}`
}

/** Encodes by RFC 8187 §3.2, which allows fewer characters than encodeURIComponent leaves. */
const encodeExtendedValue = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** What the sent bytes must be; of a part, the checksum is not known. */
interface ExpectedBytes {
  length: number
  sha256: string | undefined
}

/**
 * Sends the bytes of a file. Throws if they are not as expected or cannot be read: as the head of
 * the reply is already sent, only breaking the connection can tell the client.
 */
async function sendBytes(
  request: FastifyRequest,
  { raw }: FastifyReply,
  bytes: Readable,
  expected: ExpectedBytes,
): Promise<void> {
  const verify = (source: AsyncIterable<Uint8Array>) => verifyBytes(source, expected)
  const count = (length: number) => request.unsentReplies.count(request, length)
  // A client that leaves is not an error.
  raw.on('error', () => {})
  // At the head of the pipeline, the file is closed even if the client left before its first byte.
  await pipeline(bytes, verify, async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) {
      await sendPiece(raw, chunk, count)
      if (raw.destroyed) return
    }
    raw.end()
  })
}

/**
 * Holds back the last chunk until the number of bytes and their checksum are verified, so that no
 * client takes a file that was corrupted on the disk for a complete one.
 */
async function* verifyBytes(
  bytes: AsyncIterable<Uint8Array>,
  { length, sha256 }: ExpectedBytes,
): AsyncGenerator<Uint8Array> {
  const hash = sha256 === undefined ? undefined : createHash('sha256')
  let read = 0
  let held: Uint8Array | undefined
  for await (const chunk of bytes) {
    if (held) yield held
    hash?.update(chunk)
    read += chunk.length
    held = chunk
  }
  if (read !== length) throw new Error(`The file has ${read} bytes here instead of ${length}`)
  if (hash && hash.digest('hex') !== sha256) throw new Error('The file is not the one uploaded')
  if (held) yield held
}
