import type { IncomingMessage } from 'node:http'
import { ApiError, validationFailed } from '#core/api-error.ts'
import type { FileDraft } from '#files/files.ts'
import { toMediaType } from '#lib/media-type.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import type { AppContext } from '../app-context.ts'
import { getRawHeader } from '../pipeline/admission.ts'
import { hasContentCoding } from '../request/json-body.ts'
import { readWithTimeouts } from '../request/transfer-timeouts.ts'
import { MalformedMultipartError, type MultipartPart, readMultipart } from './multipart.ts'
import { fileTooLarge } from './upload-quota.ts'

/** Maximum size of a form beyond its file: delimiters, part headers and unknown fields. */
const MAX_FORM_OVERHEAD_BYTES = 65_536
const MAX_ERRORS = 20
const MULTIPART_TYPE = /^multipart\/form-data[ \t]*(;|$)/i
/** The file of an upload: what the request declares, and the field errors found so far. */
export interface ReceivedFile {
  isForm: boolean
  filename: string | undefined
  contentType: string
  errors: FieldError[]
}

type WriteChunk = (chunk: Uint8Array) => Promise<void>

/**
 * Reads an upload: the single file part of a form, or the whole body (docs/spec/api.md#extensions). Updates
 * `received` as it reads, because the checks of the quota use it before the last byte.
 */
export async function receiveUpload(
  { transfers: { maxAttachmentBytes: maxBytes, timeouts } }: AppContext,
  request: IncomingMessage,
  received: ReceivedFile,
  draft: FileDraft,
  write: WriteChunk,
): Promise<void> {
  if (hasContentCoding(request)) {
    throw new ApiError(415, 'unsupported_media_type', 'Send the file without `Content-Encoding`.')
  }
  const type = getRawHeader(request, 'content-type')?.trim() ?? ''
  received.isForm = MULTIPART_TYPE.test(type)
  const maxBodyBytes = received.isForm ? maxBytes + MAX_FORM_OVERHEAD_BYTES : maxBytes
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw fileTooLarge(maxBytes)
  const chunks = limitBytes(readWithTimeouts(request, timeouts), maxBodyBytes, maxBytes)
  if (received.isForm) await readForm(chunks, type, received, write)
  else {
    received.contentType = toMediaType(type)
    for await (const chunk of chunks) await write(chunk)
  }
  const hasFile = received.errors.every(({ field }) => field !== 'file')
  if (draft.size === 0 && hasFile)
    received.errors.push(fieldError('file', 'too_small', 'must not be empty'))
}

async function* limitBytes(chunks: AsyncIterable<Buffer>, maxBodyBytes: number, maxBytes: number) {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) throw fileTooLarge(maxBytes)
    yield chunk
  }
}

async function readForm(
  chunks: AsyncIterable<Buffer>,
  type: string,
  received: ReceivedFile,
  write: WriteChunk,
): Promise<void> {
  let hasFile = false
  const handlePart = async (
    { name, filename, contentType }: MultipartPart,
    bytes: AsyncIterable<Uint8Array>,
  ) => {
    if (name === 'file' && !hasFile) {
      hasFile = true
      received.filename = filename
      received.contentType = toMediaType(contentType ?? '')
      for await (const chunk of bytes) await write(chunk)
      return
    }
    received.errors.push(unexpectedPart(name))
    if (received.errors.length >= MAX_ERRORS) throw validationFailed(...received.errors)
    for await (const _ of bytes);
  }
  try {
    await readMultipart(chunks, type, handlePart)
  } catch (error) {
    if (!(error instanceof MalformedMultipartError)) throw error
    throw validationFailed(
      fieldError(
        'file',
        'invalid_format',
        'must be a part of a well-formed multipart/form-data body',
      ),
    )
  }
  if (!hasFile) received.errors.push(fieldError('file', 'required', 'is required'))
}

const unexpectedPart = (name: string | undefined): FieldError =>
  name === 'file'
    ? fieldError('file', 'duplicate', 'is given twice')
    : fieldError(
        (name ?? '').slice(0, 80),
        'unknown_field',
        name
          ? 'is not an accepted field; accepted fields: file'
          : 'has a part without a name; accepted parts: file',
      )
