import type { FastifyRequest } from 'fastify'
import { ApiError, assertNoFieldErrors } from '#core/api-error.ts'
import type { RequestInput, UploadRoute } from '#core/route.ts'
import { fieldError } from '#wire/field-error.ts'
import { createSchemaParser, type SchemaParseResult } from '#wire/schema-parser.ts'
import type { AppContext } from '../app-context.ts'
import { countRawHeaders } from '../pipeline/admission.ts'
import { fingerprintRequest, hasStoredReply, parseIdempotencyKey } from '../pipeline/idempotency.ts'
import { getActor } from '../pipeline/request-handler.ts'
import { createQueryParser, getQueryString } from '../request/query-parameters.ts'
import type { ReceivedFile } from './receive-upload.ts'

interface CompletedUpload {
  id: string
  size_bytes: number
  sha256: string
}

/** Placeholder that validates, for the checks that run before the file is complete. */
const PLACEHOLDER_FILE: CompletedUpload = {
  id: `att_${'0'.repeat(26)}`,
  size_bytes: 1,
  sha256: '0'.repeat(64),
}

/**
 * Creates the checks of an upload, from query and headers to fields. They run while its bytes are
 * still arriving (`checkEarly`) and again in the write (`createWrite`), both times in the order of
 * every request (docs/spec/api.md#order-of-checks).
 */
export function createUploadChecks(context: AppContext, route: UploadRoute) {
  const { endpoint } = route
  const parseQuery = createQueryParser(endpoint)
  const readFields = createSchemaParser(endpoint.body ?? {})

  return (request: FastifyRequest, received: ReceivedFile) => {
    const target = request.raw.url ?? ''

    /** Parses query and headers (400). If the body is the file, the query holds its name. */
    function parseRequest(): { input: RequestInput; key: string | undefined } {
      const query = parseQuery(getQueryString(target))
      if (received.isForm && query.filename !== undefined) throw filenameInForm()
      if (!received.isForm) received.filename = query.filename
      const key = parseIdempotencyKey(
        request.headers['idempotency-key'],
        countRawHeaders(request.raw, 'idempotency-key'),
      )
      const { params } = request
      return { input: { params, query, body: undefined }, key }
    }

    function readFile(file: CompletedUpload): SchemaParseResult {
      const { filename, contentType: content_type } = received
      const reading = readFields({
        ...file,
        content_type,
        ...(filename !== undefined && { filename }),
      })
      // Without a file, the errors of its fields would only be noise.
      const isMissing = received.errors.some(
        ({ field, code }) => field === 'file' && code === 'required',
      )
      const fieldErrors = isMissing ? [] : reading.errors
      return { value: reading.value, errors: [...received.errors, ...fieldErrors] }
    }

    return {
      /** Runs all checks that need no bytes, and returns how many bytes the workspace has left. */
      async checkEarly(): Promise<number> {
        const { input, key } = parseRequest()
        return context.storage.read(getActor(request), async (tx) => {
          // A stored reply is replayed even if the record has changed or gone since.
          if (key !== undefined && (await hasStoredReply(tx, key))) return Number.POSITIVE_INFINITY
          const record = await route.loadWithoutWriting(tx, input)
          assertNoFieldErrors(readFile(PLACEHOLDER_FILE).errors)
          return record.quota()
        })
      },
      /** Creates the input of the write, once the file is complete. */
      createWrite(file: CompletedUpload) {
        const { input, key } = parseRequest()
        const { filename, contentType } = received
        const content = { filename: filename ?? null, contentType, sha256: file.sha256 }
        const fingerprint = fingerprintRequest(request.method, target, content)
        const idempotency = key === undefined ? undefined : { key, secret: false, fingerprint }
        return { idempotency, input, validate: () => readFile(file) }
      },
    }
  }
}

function filenameInForm(): ApiError {
  const why = 'cannot be combined with a form; send the name in its part `file`'
  const detail = fieldError('filename', 'conflicting_fields', why, 'query')
  return new ApiError(400, 'invalid_parameter', detail.message, { details: [detail] })
}
