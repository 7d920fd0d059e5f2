import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#core/refusal.ts'
import type { House } from './house.ts'

const MAX_TARGET = 8_192

/** Headers that a browser may read from the replies of the public API (contract 1.7). */
const EXPOSED = [
  'ETag, Location, Retry-After, WWW-Authenticate, X-Request-Id, X-RateLimit-Limit',
  'X-RateLimit-Remaining, X-RateLimit-Reset, X-Operation-Id, X-Dry-Run, Idempotency-Replayed',
  'Deprecation, Sunset, Link',
].join(', ')

/** The first thing that happens to every request: what its reply carries, and transport (contract 2.3, step 1). */
export function arrive({ loopbackOnly, drain }: Pick<House, 'loopbackOnly' | 'drain'>) {
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
    const { url = '' } = request.raw
    request.arrivedAt = performance.now()
    request.outgoing = {
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    }
    if (drain.draining) request.outgoing.connection = 'close'
    if (url.startsWith('/api/v1/')) {
      request.outgoing['access-control-allow-origin'] = '*'
      request.outgoing['access-control-expose-headers'] = EXPOSED
    }
    if (url.length > MAX_TARGET) {
      const message = `The address of a request may have at most ${MAX_TARGET} bytes.`
      return done(new Refusal(414, 'uri_too_long', message))
    }
    if (loopbackOnly && !isLoopback(request.headers.host)) {
      const message =
        'Docket listens on this machine only: set DOCKET_BASE_URL to serve another name.'
      return done(new Refusal(421, 'misdirected_request', message))
    }
    done()
  }
}

/** Whether a Host header, or an address with or without port, names this machine itself. */
export function isLoopback(host: string | undefined): boolean {
  const name = (host ?? '').toLowerCase().replace(/:\d+$/, '')
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(name)
}
