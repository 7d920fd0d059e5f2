import type { IncomingMessage } from 'node:http'
import { invalid, Refusal } from '#core/refusal.ts'
import type { Draft } from '#files/files.ts'
import { type Fault, fault } from '#wire/fault.ts'
import { sent } from './admission.ts'
import { Malformed } from './delimiters.ts'
import { tooLarge } from './intake.ts'
import { type Part, readParts } from './multipart.ts'
import { patiently } from './patience.ts'

/** What a form may have around its file. */
const FORM_BYTES = 65_536
const MOST_FAULTS = 20
const FORM = /^multipart\/form-data[ \t]*(;|$)/i
const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}([ \\t]*;[ \\t]*${TOKEN}=(${TOKEN}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))*$`,
)

/** One file as it came: what the request says of it, and what is wrong with it so far. */
export interface Received {
  isForm: boolean
  filename: string | undefined
  contentType: string
  faults: Fault[]
}

/** Where the bytes go, one chunk after the other. */
type Write = (chunk: Uint8Array) => Promise<void>

/**
 * Reads an upload: the one file part of a form, or the whole body (contract 7.3). What is known of
 * it so far is in `received` at every moment.
 */
export async function receive(
  request: IncomingMessage,
  received: Received,
  draft: Draft,
  max: number,
  write: Write,
): Promise<void> {
  const { headers } = request
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') {
    throw new Refusal(415, 'unsupported_media_type', 'Send the file without Content-Encoding.')
  }
  const type = sent(request, 'content-type')?.trim() ?? ''
  received.isForm = FORM.test(type)
  const most = received.isForm ? max + FORM_BYTES : max
  if (Number(headers['content-length'] ?? 0) > most) throw tooLarge(max)
  const chunks = counted(patiently(request), most, max)
  if (received.isForm) await readForm(chunks, type, received, write)
  else {
    received.contentType = mediaType(type)
    for await (const chunk of chunks) await write(chunk)
  }
  const isThere = received.faults.every(({ field }) => field !== 'file')
  if (draft.size === 0 && isThere) received.faults.push(fault('file', 'too_small', 'is empty'))
}

async function* counted(chunks: AsyncIterable<Buffer>, most: number, max: number) {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > most) throw tooLarge(max)
    yield chunk
  }
}

async function readForm(
  chunks: AsyncIterable<Buffer>,
  type: string,
  received: Received,
  write: Write,
): Promise<void> {
  let found = false
  const take = async ({ name, filename, contentType }: Part, bytes: AsyncIterable<Uint8Array>) => {
    const { faults } = received
    if (name === 'file' && !found) {
      found = true
      received.filename = filename
      received.contentType = mediaType(contentType ?? '')
      for await (const chunk of bytes) await write(chunk)
      return
    }
    faults.push(excess(name))
    if (faults.length >= MOST_FAULTS) throw invalid(...faults)
    for await (const _ of bytes);
  }
  try {
    await readParts(chunks, type, take)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    throw invalid(fault('file', 'invalid_format', 'is not in a well-formed multipart/form-data'))
  }
  if (!found) received.faults.push(fault('file', 'required', 'is required'))
}

const excess = (name: string | undefined): Fault =>
  name === 'file'
    ? fault('file', 'duplicate', 'is given twice')
    : fault((name ?? '').slice(0, 80), 'unknown_field', 'is not known here; the form has one: file')

/** The type as it was sent, unless it could not be sent back. */
const mediaType = (text: string): string =>
  text.length <= 255 && MEDIA_TYPE.test(text) ? text : 'application/octet-stream'
