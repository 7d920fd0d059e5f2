import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { addAbortSignal } from 'node:stream'
import { Dicer } from '@fastify/busboy'

/** Thrown for a body that is not well-formed multipart, or that ends before its last delimiter. */
export class MalformedMultipartError extends Error {}

/**
 * White space that may follow a delimiter in its line (RFC 2046 §5.1.1). Real clients send less.
 */
const MAX_PADDING = 64
const LINE_END = /^[ \t]*\r\n/
const PARTIAL_LINE_END = /^(-|[ \t]*\r?)$/

/**
 * Finds text that begins like a delimiter and is not one, which no part may contain (RFC 2046
 * §5.1.1). The parser would end the part there, and a truncated file would be stored.
 */
class DelimiterScanner {
  /** Whether the last delimiter was seen; bytes after it belong to no part. */
  isClosed = false
  readonly #delimiter: Buffer
  /** The tail of the bytes so far, in which a delimiter may have begun. */
  #tail: Buffer = Buffer.from('\r\n')

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
  }

  /** Scans the next bytes of a body. */
  scan(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#tail, chunk])
    const { length } = this.#delimiter
    let from = 0
    for (
      let at = bytes.indexOf(this.#delimiter);
      at >= 0;
      at = bytes.indexOf(this.#delimiter, from)
    ) {
      from = at + length
      if (this.isClosed) throw new MalformedMultipartError('It goes on after its end')
      const after = bytes.toString('latin1', from, from + MAX_PADDING)
      if (PARTIAL_LINE_END.test(after) && after.length < MAX_PADDING) {
        this.#tail = bytes.subarray(at)
        return
      }
      this.isClosed = after.startsWith('--')
      if (!this.isClosed && !LINE_END.test(after))
        throw new MalformedMultipartError('It contains its boundary')
    }
    this.#tail = bytes.subarray(Math.max(from, bytes.length - length + 1))
  }
}

/** The headers of one part of a form. */
export interface MultipartPart {
  /** Undefined if the header is missing or cannot be parsed. */
  name: string | undefined
  filename: string | undefined
  contentType: string | undefined
}

/** Handles one part and sets the pace of reading. An error that it throws ends the reading. */
type MultipartPartHandler = (part: MultipartPart, bytes: AsyncIterable<Uint8Array>) => Promise<void>

/** RFC 2046 §5.1.1. */
const MAX_BOUNDARY_BYTES = 70

/**
 * Reads a multipart body and calls `handlePart` as soon as the headers of a part are complete.
 * Rejects if the body is malformed or `handlePart` throws; then no handler is still reading bytes.
 */
export async function readMultipart(
  chunks: AsyncIterable<Buffer>,
  contentType: string,
  handlePart: MultipartPartHandler,
): Promise<void> {
  const boundary = parseParameters(contentType).get('boundary')
  if (!boundary) throw new MalformedMultipartError('It names no boundary')
  if (Buffer.byteLength(boundary) > MAX_BOUNDARY_BYTES)
    throw new MalformedMultipartError('Its boundary is long')
  const delimiters = new DelimiterScanner(boundary)
  const dicer = new Dicer({ boundary })
  const stop = new AbortController()
  const fail = (error: unknown) => stop.abort(error)
  const finished = new Promise((resolve) => {
    dicer.on('finish', resolve)
    stop.signal.addEventListener('abort', resolve)
  })
  const handlers: Promise<void>[] = []
  /** Number of parts whose headers are incomplete: only the last part may be such a one. */
  let partsWithoutHeaders = 0
  dicer.on('error', () => fail(new MalformedMultipartError('It breaks off')))
  dicer.on('part', (part) => {
    partsWithoutHeaders += 1
    // Without a listener, a body that ends inside a part would crash the process.
    part.on('error', () => {})
    part.on('header', (headers) => {
      partsWithoutHeaders -= 1
      const handled = handlePart(partOf(headers as PartHeaders), addAbortSignal(stop.signal, part))
      handled.catch(fail)
      handlers.push(handled)
    })
  })
  try {
    for await (const chunk of chunks) {
      const { isClosed } = delimiters
      delimiters.scan(chunk)
      // Bytes after the last delimiter belong to no part, and the parser may never drain them.
      if (!isClosed && !dicer.write(chunk)) await Promise.race([once(dicer, 'drain'), finished])
      if (partsWithoutHeaders > 1) throw new MalformedMultipartError('A part has no head')
      stop.signal.throwIfAborted()
    }
    dicer.end()
    await finished
    stop.signal.throwIfAborted()
    if (partsWithoutHeaders > 0) throw new MalformedMultipartError('A part has no head')
    await Promise.all(handlers)
  } catch (error) {
    fail(error)
    await Promise.allSettled(handlers)
    throw error
  }
}

/** The values of each header, decoded as Latin-1: one character a byte. */
type PartHeaders = Record<string, readonly string[] | undefined>

function partOf(headers: PartHeaders): MultipartPart {
  const disposition = headers['content-disposition']?.[0] ?? ''
  const isFormData = /^form-data[ \t]*(;|$)/i.test(disposition)
  const parameters = isFormData ? parseParameters(disposition) : new Map<string, string>()
  return {
    name: parameters.get('name'),
    filename: decodeExtendedValue(parameters.get('filename*')) ?? parameters.get('filename'),
    contentType: headers['content-type']?.[0],
  }
}

const PARAMETER = /;[ \t]*([^\s;="]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g

/** Parses the parameters of a header, with their names in lower case. */
function parseParameters(header: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of header.matchAll(PARAMETER)) {
    // Browsers do not escape backslashes: one before any other character is part of the name.
    const text = quoted?.replace(/\\(["\\])/g, '$1') ?? bare
    const key = name.toLowerCase()
    if (!parameters.has(key)) parameters.set(key, decodeUtf8(text))
  }
  return parameters
}

/**
 * Text that is not UTF-8 stays undecoded and gets a NUL, so that validation of the name rejects it.
 */
function decodeUtf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : `${text}\0`
}

/** Decodes the form `UTF-8''caf%C3%A9` (RFC 8187). */
function decodeExtendedValue(value: string | undefined): string | undefined {
  const [, text] = /^utf-8'[^']*'(.*)$/i.exec(value ?? '') ?? []
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    return undefined
  }
}
