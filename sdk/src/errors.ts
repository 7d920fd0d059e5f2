import type { ApiErrorDetail, ErrorCode } from './types.ts'

/**
 * What the client itself finds, beside the codes of the server. `network_error`: no answer of Docket
 * arrived, so that the outcome of a write is unknown. `unexpected_response`: the answer is not one of
 * Docket, for example because `baseUrl` is the address of something else. `approval_pending`: the credential is
 * supervised, and a person has to allow the write first; ask for the operation `operation_id` what has become of it.
 */
export type ClientErrorCode = 'network_error' | 'unexpected_response' | 'approval_pending'

interface ErrorFields<Code extends string> {
  code: Code
  message: string
  status?: number | undefined
  details?: readonly ApiErrorDetail[]
  request_id?: string | undefined
  doc_url?: string | undefined
  required_scope?: string | undefined
  retryAfterMs?: number | undefined
  operation_id?: string | undefined
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
  /** With `approval_pending`: the operation that waits. */
  readonly operation_id: string | undefined
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
    this.operation_id = fields.operation_id
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

/** Why no connection came about, by the codes of Node. */
const CONNECTION_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused, nothing listens there',
  ENOTFOUND: 'no such host name was found',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was closed before the reply',
  EPIPE: 'the connection was closed before the reply',
  UND_ERR_SOCKET: 'the connection was closed before the reply',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'the reply timed out',
  UND_ERR_BODY_TIMEOUT: 'the reply timed out',
  EHOSTUNREACH: 'the host cannot be reached from here',
  ENETUNREACH: 'the network cannot be reached from here',
  EPROTO: 'it does not speak TLS, so the address may be one of http',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS, so the address may be one of http',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS, so the address may be one of http',
}

/** Why a certificate is not trusted, by the codes of Node. */
const CERTIFICATE_REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'is of an authority that this computer does not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes without the certificate of its authority',
  UNABLE_TO_GET_ISSUER_CERT: 'is of an authority that this computer does not know',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'is of an authority that this computer does not know',
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is that of another host name',
}

/** Finds in what `fetch` has thrown why a connection failed: it hides that in its cause. */
export function describeConnectionFailure(thrown: unknown): string {
  let innermost = thrown instanceof Error ? thrown.message : String(thrown)
  // The addresses of a host are tried in turn, so there may be several causes.
  for (let error = thrown; error instanceof Error; error = firstErrorOf(error) ?? error.cause) {
    const code = 'code' in error ? String(error.code) : ''
    const place = 'hostname' in error ? ` (${error.hostname})` : placeOf(error)
    if (Object.hasOwn(CONNECTION_REASONS, code)) {
      return CONNECTION_REASONS[code] + place
    }
    if (Object.hasOwn(CERTIFICATE_REASONS, code)) {
      return `its certificate ${CERTIFICATE_REASONS[code]} (${code})`
    }
    innermost = error.message || innermost
  }
  return innermost
}

const firstErrorOf = (error: Error): unknown =>
  'errors' in error && Array.isArray(error.errors) ? error.errors[0] : undefined

/** The address of a connection, which may be that of a proxy. */
const placeOf = (error: Error): string =>
  'address' in error && 'port' in error ? ` (${error.address} port ${error.port})` : ''

/** The longest wait that is accepted. Timers end at once after more than 24 days. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000

/** How long a server or a gateway asks to wait, in seconds or until a time; undefined if it does not. */
export function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS)
}

/**
 * Statuses with which a proxy in front of Docket says that it has not reached it, or not now: 520 to 524 are those
 * of Cloudflare.
 */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([
  408, 425, 429, 502, 503, 504, 520, 521, 522, 523, 524,
])

/** Reads the error of a reply that is none of success. */
export async function readError(response: Response): Promise<DocketError<string>> {
  const { status, headers } = response
  const retryAfterMs = readRetryAfter(headers)
  const text = await response.text()
  const envelope = parseEnvelope(text)
  if (envelope) return new DocketError({ ...envelope, status, retryAfterMs })
  // The same as no answer.
  const isGateway = GATEWAY_STATUSES.has(status)
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
    const { error } = parsed ?? {}
    if (typeof error?.code !== 'string') return undefined
    const message = typeof error.message === 'string' ? error.message : error.code
    return { ...error, message, details: Array.isArray(error.details) ? error.details : [] }
  } catch {
    return undefined
  }
}
