import type { ApiErrorDetail, ErrorCode } from './types.ts'

/**
 * What the client itself finds, beside the codes of the server. `network_error`: no answer of Docket
 * arrived, so that the outcome of a write is unknown. `unexpected_response`: the answer is not one of
 * Docket, for example because `baseUrl` is the address of something else.
 */
export type ClientErrorCode = 'network_error' | 'unexpected_response'

interface ErrorFields<Code extends string> {
  code: Code
  message: string
  status?: number | undefined
  details?: readonly ApiErrorDetail[]
  request_id?: string | undefined
  doc_url?: string | undefined
  required_scope?: string | undefined
  retryAfterMs?: number | undefined
}

/** Why a request failed. `code` says what to do about it; the server may add codes at any time. */
export class DocketError<Code extends string = ErrorCode | ClientErrorCode> extends Error {
  readonly code: Code
  /** The status of the reply; undefined without one. */
  readonly status: number | undefined
  readonly details: readonly ApiErrorDetail[]
  /** Identifies the request in the logs of the server. */
  readonly request_id: string | undefined
  /** The page that explains `code`. */
  readonly doc_url: string | undefined
  /** With `insufficient_scope`: the scope that the credential lacks. */
  readonly required_scope: string | undefined
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined
  /** Of a list: the cursor of the page that failed. Pass it as `cursor` to go on there. */
  cursor?: string

  constructor(fields: ErrorFields<Code>, options?: ErrorOptions) {
    super(fields.message, options)
    this.name = 'DocketError'
    this.code = fields.code
    this.status = fields.status
    this.details = fields.details ?? []
    this.request_id = fields.request_id
    this.doc_url = fields.doc_url
    this.required_scope = fields.required_scope
    this.retryAfterMs = fields.retryAfterMs
  }
}

/** An error by its code: `if (error.code === 'validation_failed')` narrows it. */
export type AnyDocketError = {
  [Code in ErrorCode | ClientErrorCode]: DocketError<Code>
}[ErrorCode | ClientErrorCode]

/** Whether something that was caught is an error of Docket, or one with this code. */
export function isDocketError(error: unknown): error is AnyDocketError
export function isDocketError<Code extends ErrorCode | ClientErrorCode>(
  error: unknown,
  code: Code,
): error is DocketError<Code>
export function isDocketError(error: unknown, code?: string): boolean {
  return error instanceof DocketError && (code === undefined || error.code === code)
}

/** Reads the error of a reply that is none of success. */
export async function readError(response: Response): Promise<DocketError<string>> {
  const { status, headers } = response
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined
  const text = await response.text()
  const envelope = parseEnvelope(text)
  if (envelope) return new DocketError({ ...envelope, status, retryAfterMs })
  // A proxy in front of Docket reached no server: the same as no answer.
  const isGateway = status >= 502 && status <= 504
  return new DocketError({
    code: isGateway ? 'network_error' : 'unexpected_response',
    message: isGateway
      ? `A proxy answered ${status} in place of Docket`
      : `The answer with status ${status || 'of a redirect'} is not one of Docket. Is baseUrl right?`,
    status,
    retryAfterMs,
  })
}

function parseEnvelope(text: string): ErrorFields<string> | undefined {
  try {
    const parsed: { error?: ErrorFields<string> } | null = JSON.parse(text)
    return typeof parsed?.error?.code === 'string' ? parsed.error : undefined
  } catch {
    return undefined
  }
}
