import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '#core/api-error.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { getRawHeader } from '../pipeline/admission.ts'

/** Whether the headers announce a body, which may still turn out to be empty. */
export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Whether the body is compressed, which no endpoint accepts. */
export const hasContentCoding = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  (headers['content-encoding']?.trim().toLowerCase() ?? 'identity') !== 'identity'

const MAX_BODY_BYTES = 1_048_576
/** Anybody may send to an address that needs no credential, so little is read there. */
export const MAX_OPEN_BODY_BYTES = 16_384
const MAX_JSON_DEPTH = 32
const JSON_TYPE = /^application\/json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*("utf-8"|utf-8)[ \t]*)?$/i
const PATCH_TYPE =
  /^application\/(merge-patch\+)?json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*("utf-8"|utf-8)[ \t]*)?$/i

/**
 * Reads the body as a JSON value (docs/spec/api.md#bodies-and-content-types) and checks in the order 415, 413, 400. The schema
 * of the endpoint is checked later. An optional body that is absent or `null` becomes `{}` here, so that a retry which
 * writes it in another way has the same fingerprint.
 */
export async function readJsonBody(
  request: IncomingMessage,
  endpoint: Pick<Endpoint, 'method' | 'bodyOptional' | 'scope'>,
): Promise<unknown> {
  const maxBytes = endpoint.scope === 'open' ? MAX_OPEN_BODY_BYTES : MAX_BODY_BYTES
  const contentLength = request.headers['content-length']
  if (!hasBody(request)) {
    if (endpoint.bodyOptional) return {}
    throw invalidJson('This request requires a JSON body.')
  }
  // A chunked body may turn out to be empty, and then its type is ignored: collect it first.
  const collected =
    contentLength === undefined && endpoint.bodyOptional
      ? await collectBody(request, maxBytes)
      : undefined
  if (collected?.length === 0) return {}
  assertContentType(request, endpoint.method)
  if (Number(contentLength ?? 0) > maxBytes) throw bodyTooLarge(maxBytes)
  const body = parseJson(collected ?? (await collectBody(request, maxBytes)))
  return body === null && endpoint.bodyOptional ? {} : body
}

function assertContentType(request: IncomingMessage, method: string) {
  const type = getRawHeader(request, 'content-type')
  const accepted = method === 'PATCH' ? PATCH_TYPE : JSON_TYPE
  const isEncoded = hasContentCoding(request)
  if (!isEncoded && type !== undefined && accepted.test(type.trim())) return
  const message = isEncoded
    ? 'Send the body without `Content-Encoding`.'
    : 'Send the body with `Content-Type: application/json`.'
  throw new ApiError(415, 'unsupported_media_type', message)
}

export const bodyTooLarge = (maxBytes: number) =>
  new ApiError(413, 'payload_too_large', `The body must be at most ${maxBytes} bytes.`, {
    headers: { connection: 'close' },
  })

const invalidJson = (message: string) => new ApiError(400, 'invalid_json', message)

/** Collects all bytes of a body; rejects with 413 beyond `maxBytes`. */
export function collectBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A request without a body has ended already, and emits nothing more.
    if (request.readableEnded) return resolve(Buffer.alloc(0))
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) {
        chunks.length = 0
        reject(bodyTooLarge(maxBytes))
      } else chunks.push(chunk)
    })
    request.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
    )
    request.on('error', reject)
    request.on('aborted', () =>
      reject(new ApiError(400, 'invalid_json', 'The body ended before it was complete.')),
    )
  })
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalidJson('This request requires a JSON body.')
  if (!isUtf8(bytes)) throw invalidJson('The body is not valid UTF-8.')
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw invalidJson('The body is not valid JSON.')
  }
  assertSafeJson(value, 1)
  return value
}

/** Careless code could turn `__proto__` into a prototype; deep nesting could overflow the stack. */
function assertSafeJson(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_JSON_DEPTH)
    throw invalidJson(`The body must be nested at most ${MAX_JSON_DEPTH} levels deep.`)
  if (Object.hasOwn(value, '__proto__'))
    throw invalidJson('The body must not contain a member named `__proto__`.')
  for (const member of Object.values(value)) assertSafeJson(member, depth + 1)
}
