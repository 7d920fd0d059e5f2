import type { IncomingMessage } from 'node:http'
import { ApiError } from '#core/api-error.ts'
import { isLoopback } from '#lib/web-origin.ts'
import type { AppContext } from '../app-context.ts'
import { countRawHeaders } from '../pipeline/admission.ts'

const MAX_TARGET_BYTES = 8_192

/** Headers that scripts of other origins may read from replies of the public API (docs/spec/api.md#headers-on-replies). */
const EXPOSED_HEADERS = [
  'ETag, Location, Retry-After, WWW-Authenticate, X-Request-Id, X-RateLimit-Limit',
  'X-RateLimit-Remaining, X-RateLimit-Reset, X-Operation-Id, X-Dry-Run, Idempotency-Replayed',
  'Deprecation, Sunset, Link',
].join(', ')

/** Addresses that get CORS headers: the public API, never that of the web app (docs/spec/api.md#headers-on-replies). */
const CORS_PATHS = /^\/((api\/v1|\.well-known)(\/|\?|$)|oauth\/(token|revoke|introspect)(\?|$))/
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@\s]+)([/?].*)?$/i
/** Paths with a double or trailing slash, which are not aliases of any address (docs/spec/api.md#addresses-and-methods). */
const EXTRA_SLASH = /^\/(api|internal|oauth|\.well-known)\/(.*\/)?(\/.*)?$/

/**
 * Creates the first step of every request (docs/spec/api.md#order-of-checks, step 1): the headers that every reply
 * carries, and the checks of the transport.
 */
export function createTransportChecks({
  baseUrl,
  network,
  lifecycle,
}: Pick<AppContext, 'baseUrl' | 'network' | 'lifecycle'>) {
  const transportSecurity = strictTransportSecurity(baseUrl)
  /** The last Host header that named this machine: most requests have the same one. */
  let loopbackHost: string | undefined
  return { createReplyHeaders, checkRequest }

  /** Creates the headers that every reply carries, including the replies of error paths. */
  function createReplyHeaders(request_id: string, url: string): Record<string, string> {
    const headers: Record<string, string> = {
      'x-request-id': request_id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    }
    for (const name in transportSecurity) headers[name] = transportSecurity[name] ?? ''
    if (lifecycle.isDraining) headers.connection = 'close'
    if (CORS_PATHS.test(url)) {
      headers['access-control-allow-origin'] = '*'
      headers['access-control-expose-headers'] = EXPOSED_HEADERS
    }
    return headers
  }

  /** Returns the error of a request whose target or Host header is not acceptable. */
  function checkRequest(request: IncomingMessage): ApiError | undefined {
    const { url = '', headers } = request
    if (url.length > MAX_TARGET_BYTES) {
      const message = `The URL must be at most ${MAX_TARGET_BYTES} bytes.`
      return new ApiError(414, 'uri_too_long', message)
    }
    const hosts = countRawHeaders(request, 'host')
    // Only HTTP/1.0 has no Host header (RFC 9112 §3.2).
    const isHostMissing = hosts === 0 && request.httpVersion === '1.1'
    if (hosts > 1 || isHostMissing || !url.startsWith('/')) {
      const message = 'Send exactly one `Host` header, and a path that starts with a slash.'
      return new ApiError(400, 'invalid_header', message, { headers: { connection: 'close' } })
    }
    // Against DNS rebinding, which needs a browser, and a browser always sends a Host header.
    if (network.loopbackOnly && headers.host !== undefined && headers.host !== loopbackHost) {
      if (!isLoopback(headers.host)) {
        const message =
          'Docket only serves this machine. To serve another host name, set `DOCKET_BASE_URL`.'
        return new ApiError(421, 'misdirected_request', message)
      }
      loopbackHost = headers.host
    }
    const isExtraSlashPossible = url.includes('//') || url.endsWith('/') || url.includes('/?')
    if (!isExtraSlashPossible) return undefined
    return EXTRA_SLASH.test(url.split('?', 1)[0] ?? '')
      ? routeNotFound('Paths have no double slash, and none at the end.')
      : undefined
  }
}

/**
 * Makes the absolute form of a request target, which old proxies send, the usual one; its host replaces the
 * Host header (RFC 9112 §3.2.2).
 */
export function toOriginForm(request: IncomingMessage): void {
  const [, host, target = ''] = ABSOLUTE_FORM.exec(request.url ?? '') ?? []
  if (host === undefined) return
  request.url = target.startsWith('/') ? target : `/${target}`
  request.headers.host = host
}

/** Where the base URL is https, browsers must never send anything in plain text again (RFC 6797). */
export const strictTransportSecurity = (baseUrl: string): Record<string, string> =>
  baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}

/** The error of an unknown path, with what the client may have meant. */
export const routeNotFound = (hint = '`GET /api/v1` lists all endpoints.') =>
  new ApiError(404, 'route_not_found', `No endpoint has this path. ${hint}`)
