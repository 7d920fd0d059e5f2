import type { IncomingMessage } from 'node:http'
import { Refusal } from '#core/refusal.ts'
import { timesSent } from './admission.ts'
import type { House } from './house.ts'

const MAX_TARGET = 8_192

/** Headers that a browser may read from the replies of the public API (contract 1.7). */
const EXPOSED = [
  'ETag, Location, Retry-After, WWW-Authenticate, X-Request-Id, X-RateLimit-Limit',
  'X-RateLimit-Remaining, X-RateLimit-Reset, X-Operation-Id, X-Dry-Run, Idempotency-Replayed',
  'Deprecation, Sunset, Link',
].join(', ')

/** What carries CORS headers: the API of others, never that of the web app (contract 1.7). */
const PUBLIC = /^\/((api\/v1|\.well-known)\/|oauth\/(token|revoke|introspect)(\?|$))/
/** A double or a trailing slash is no other spelling of an address (contract 1.1). */
const MISSPELT = /^\/(api|internal|oauth|\.well-known)\/(.*\/)?(\/.*)?$/

/** The first thing that happens to every request: what its reply carries, and transport (contract 2.3, step 1). */
export function arrival({ loopbackOnly, drain }: Pick<House, 'loopbackOnly' | 'drain'>) {
  return { outgoingOf, refusalOf }

  /** Headers that every reply to a request carries, from wherever it comes. */
  function outgoingOf(request_id: string, url: string): Record<string, string> {
    const outgoing: Record<string, string> = {
      'x-request-id': request_id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    }
    if (drain.draining) outgoing.connection = 'close'
    if (PUBLIC.test(url)) {
      outgoing['access-control-allow-origin'] = '*'
      outgoing['access-control-expose-headers'] = EXPOSED
    }
    return outgoing
  }

  /** What refuses a request, if its transport does. */
  function refusalOf(request: IncomingMessage): Refusal | undefined {
    const { url = '', headers } = request
    if (url.length > MAX_TARGET) {
      const message = `The address of a request may have at most ${MAX_TARGET} bytes.`
      return new Refusal(414, 'uri_too_long', message)
    }
    if (timesSent(request, 'host') > 1 || !url.startsWith('/')) {
      const message = 'Name one host, in the Host header, and begin the address with a slash.'
      return new Refusal(400, 'invalid_header', message)
    }
    // A browser, which alone could be rebound, always names the host.
    if (loopbackOnly && headers.host !== undefined && !isLoopback(headers.host)) {
      const message =
        'Docket listens on this machine only: set DOCKET_BASE_URL to serve another name.'
      return new Refusal(421, 'misdirected_request', message)
    }
    return MISSPELT.test(url.split('?', 1)[0] ?? '') ? routeNotFound() : undefined
  }
}

export const routeNotFound = () =>
  new Refusal(404, 'route_not_found', 'There is nothing at this address.')

/** Whether a Host header, or an address with or without port, names this machine itself. */
export function isLoopback(host: string | undefined): boolean {
  const name = (host ?? '')
    .toLowerCase()
    .replace(/^([^:]*|\[.*\]):\d+$/, '$1')
    .replace(/\.$/, '')
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(name)
}
