import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { MaybePromise } from '#lib/maybe-promise.ts'

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** A content coding that replies are compressed with (RFC 9110 §8.4.1). */
export interface ContentCoding {
  name: 'br' | 'gzip'
  encode: (body: string | Buffer) => Promise<Buffer>
}

/** The codings, the preferred one first. */
export const CONTENT_CODINGS: readonly ContentCoding[] = [
  {
    name: 'br',
    encode: (body) => compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  },
  { name: 'gzip', encode: (body) => compressGzip(body, { level: 4 }) },
]

/** The compressed bytes of a body by coding; codings that are missing are not applied. */
type CompressedBody = {
  readonly [name in ContentCoding['name']]?: MaybePromise<Buffer> | undefined
}

/** A body that is in memory once, however many clients it is sent to. */
export interface SharedBody {
  body: Buffer
  precompressed: CompressedBody
}

/** Encodes what is the same for everybody once, and in each coding when the first client asks for it. */
export function shareBody(text: string): SharedBody {
  const body = Buffer.from(text)
  const compressed = new Map<string, Promise<Buffer>>()
  const bytesIn = ({ name, encode }: ContentCoding) =>
    compressed.getOrInsertComputed(name, () => encode(body))
  const precompressed: CompressedBody = Object.defineProperties(
    {},
    Object.fromEntries(
      CONTENT_CODINGS.map((coding) => [coding.name, { get: () => bytesIn(coding) }]),
    ),
  )
  return { body, precompressed }
}

/** Returns the first coding that the client accepts; `q=0` rejects a coding (RFC 9110 §12.5.3). */
export function chooseCoding(accepted: string | string[] | undefined): ContentCoding | undefined {
  if (typeof accepted !== 'string') return undefined
  const acceptedCodings = new Map(
    accepted.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))]
    }),
  )
  return CONTENT_CODINGS.find(
    ({ name }) => acceptedCodings.get(name) ?? acceptedCodings.get('*') ?? false,
  )
}
