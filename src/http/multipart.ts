import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { addAbortSignal } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { Delimiters, Malformed } from './delimiters.ts'

/** The head of a part of a form: what its headers say. */
export interface Part {
  /** Undefined where the part does not say it in a way that can be read. */
  name: string | undefined
  filename: string | undefined
  contentType: string | undefined
}

/** Takes a part; what is thrown ends the reading. Bytes are not read ahead of it. */
export type TakePart = (part: Part, bytes: AsyncIterable<Uint8Array>) => Promise<void>

/** The longest boundary there may be (RFC 2046, 5.1.1). */
const MOST_BOUNDARY_BYTES = 70

/**
 * Reads a multipart body: each part is handed over as soon as its head is there. Throws Malformed, or
 * what `take` throws; then nobody takes bytes any more.
 */
export async function readParts(
  chunks: AsyncIterable<Buffer>,
  contentType: string,
  take: TakePart,
): Promise<void> {
  const boundary = parametersIn(contentType).get('boundary')
  if (!boundary) throw new Malformed('It names no boundary')
  if (Buffer.byteLength(boundary) > MOST_BOUNDARY_BYTES) throw new Malformed('Its boundary is long')
  const delimiters = new Delimiters(boundary)
  const dicer = new Dicer({ boundary })
  const stop = new AbortController()
  const fail = (error: unknown) => stop.abort(error)
  const over = new Promise((resolve) => {
    dicer.on('finish', resolve)
    stop.signal.addEventListener('abort', resolve)
  })
  const taking: Promise<void>[] = []
  /** Parts without a head yet: only the last may be one. */
  let headless = 0
  dicer.on('error', () => fail(new Malformed('It breaks off')))
  dicer.on('part', (part) => {
    headless += 1
    // Without a listener the end of a body in the midst of a part would end the process.
    part.on('error', () => {})
    part.on('header', (headers) => {
      headless -= 1
      const taken = take(partOf(headers as Headers), addAbortSignal(stop.signal, part))
      taken.catch(fail)
      taking.push(taken)
    })
  })
  try {
    for await (const chunk of chunks) {
      const { isClosed } = delimiters
      delimiters.see(chunk)
      // The parser may drain no more once all parts have ended, and what follows them is nothing.
      if (!isClosed && !dicer.write(chunk)) await Promise.race([once(dicer, 'drain'), over])
      if (headless > 1) throw new Malformed('A part has no head')
      stop.signal.throwIfAborted()
    }
    dicer.end()
    await over
    stop.signal.throwIfAborted()
    if (headless > 0) throw new Malformed('A part has no head')
    await Promise.all(taking)
  } catch (error) {
    fail(error)
    await Promise.allSettled(taking)
    throw error
  }
}

/** Each header with its values, a character a byte. */
type Headers = Record<string, readonly string[] | undefined>

function partOf(headers: Headers): Part {
  const disposition = headers['content-disposition']?.[0] ?? ''
  const isField = /^form-data[ \t]*(;|$)/i.test(disposition)
  const parameters = isField ? parametersIn(disposition) : new Map<string, string>()
  return {
    name: parameters.get('name'),
    filename: extended(parameters.get('filename*')) ?? parameters.get('filename'),
    contentType: headers['content-type']?.[0],
  }
}

const PARAMETER = /;[ \t]*([^\s;="]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g

/** The parameters of a header, by their names in lower case. */
function parametersIn(header: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of header.matchAll(PARAMETER)) {
    // A backslash before anything else is one of the name itself, as browsers send it.
    const text = quoted?.replace(/\\(["\\])/g, '$1') ?? bare
    const key = name.toLowerCase()
    if (!found.has(key)) found.set(key, utf8(text))
  }
  return found
}

/** What is no UTF-8 stays as it is, with characters in it that no name may have. */
function utf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : `${text}\0`
}

/** `UTF-8''caf%C3%A9` */
function extended(value: string | undefined): string | undefined {
  const [, text] = /^utf-8'[^']*'(.*)$/i.exec(value ?? '') ?? []
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    return undefined
  }
}
