import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Refusal } from '#core/refusal.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { sent } from './admission.ts'

const MAX_BYTES = 1_048_576
const MAX_DEPTH = 32
const JSON_TYPE = /^application\/json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*("utf-8"|utf-8)[ \t]*)?$/i
const PATCH_TYPE =
  /^application\/(merge-patch\+)?json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*("utf-8"|utf-8)[ \t]*)?$/i

/**
 * The body as a JSON value (contract 1.2), in the order 415, 413, 400. Whether it is an object, and
 * whether its fields are right, is told later.
 */
export async function bodyOf(
  request: IncomingMessage,
  endpoint: Pick<Endpoint, 'method' | 'bodyOptional'>,
): Promise<unknown> {
  const { headers } = request
  const declared = headers['content-length']
  const present = headers['transfer-encoding'] !== undefined || Number(declared ?? 0) > 0
  if (!present) {
    if (endpoint.bodyOptional) return {}
    throw invalidJson('This request needs a body.')
  }
  // What comes in chunks may turn out to be no body, whose type is ignored: it is collected first.
  const early = declared === undefined && endpoint.bodyOptional ? await collect(request) : undefined
  if (early?.length === 0) return {}
  refuseType(sent(request, 'content-type'), headers['content-encoding'], endpoint.method)
  if (Number(declared ?? 0) > MAX_BYTES) throw tooLarge()
  return parse(early ?? (await collect(request)))
}

function refuseType(type: string | undefined, encoding: string | undefined, method: string) {
  const wanted = method === 'PATCH' ? PATCH_TYPE : JSON_TYPE
  const coded = encoding !== undefined && encoding.trim().toLowerCase() !== 'identity'
  if (!coded && type !== undefined && wanted.test(type.trim())) return
  const message = coded
    ? 'Send the body without Content-Encoding.'
    : "Send the body as 'Content-Type: application/json'."
  throw new Refusal(415, 'unsupported_media_type', message)
}

export const tooLarge = (most = MAX_BYTES) =>
  new Refusal(413, 'payload_too_large', `A body may have at most ${most} bytes.`, {
    headers: { connection: 'close' },
  })

const invalidJson = (message: string) => new Refusal(400, 'invalid_json', message)

/** All bytes of a body; 413 beyond so many. */
export function collect(request: IncomingMessage, most = MAX_BYTES): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > most) {
        chunks.length = 0
        reject(tooLarge(most))
      } else chunks.push(chunk)
    })
    request.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
    )
    request.on('error', reject)
    request.on('aborted', () => reject(new Refusal(400, 'invalid_json', 'The body broke off.')))
  })
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalidJson('This request needs a body.')
  if (!isUtf8(bytes)) throw invalidJson('The body is not valid UTF-8.')
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw invalidJson('The body is not valid JSON.')
  }
  refuseDeep(value, 1)
  return value
}

/** `__proto__` would become a prototype in careless hands, deep nesting a full stack. */
function refuseDeep(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw invalidJson(`The body is nested deeper than ${MAX_DEPTH}.`)
  if (Object.hasOwn(value, '__proto__')) throw invalidJson('A member cannot be named __proto__.')
  for (const one of Object.values(value)) refuseDeep(one, depth + 1)
}
