import type { IncomingMessage } from 'node:http'
import { ApiError } from '#core/api-error.ts'
import { getRawHeader } from '../pipeline/admission.ts'
import { hasBody, hasContentCoding } from '../request/body-headers.ts'
import { bodyTooLarge, collectBody, MAX_OPEN_BODY_BYTES } from '../request/json-body.ts'

const FORM_TYPE =
  /^application\/x-www-form-urlencoded[ \t]*(;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i

/** Reads the form of an OAuth request (docs/spec/api.md#bodies-and-content-types) and checks in the order 415, 413. */
export async function readFormBody(request: IncomingMessage): Promise<URLSearchParams> {
  if (!hasBody(request)) return new URLSearchParams()
  if (
    hasContentCoding(request) ||
    !FORM_TYPE.test(getRawHeader(request, 'content-type')?.trim() ?? '')
  ) {
    const message = "Send the body as 'Content-Type: application/x-www-form-urlencoded'."
    throw new ApiError(415, 'unsupported_media_type', message)
  }
  if (Number(request.headers['content-length'] ?? 0) > MAX_OPEN_BODY_BYTES)
    throw bodyTooLarge(MAX_OPEN_BODY_BYTES)
  return new URLSearchParams((await collectBody(request, MAX_OPEN_BODY_BYTES)).toString('utf8'))
}
