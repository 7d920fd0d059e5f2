import type { Duplex } from 'node:stream'
import { ApiError } from '#core/api-error.ts'
import { STATUS_CODES } from '#lib/node-http.ts'
import type { ErrorCode } from '#wire/error-code.ts'
import type { AppContext } from '../app-context.ts'
import { toErrorBody } from '../reply/error-reply.ts'
import { isExemptFromRequestTimeout } from '../request/transfer-timeouts.ts'
import { strictTransportSecurity } from '../request/transport-checks.ts'
import type { RequestTracker } from './request-end.ts'

const LINGER_MS = 500

/** Replies by Node's error code; any other code means malformed HTTP. */
const CLIENT_ERRORS: Record<string, readonly [status: number, code: ErrorCode, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'request_timeout',
    'The request did not arrive in time. Send it again.',
  ],
  HPE_HEADER_OVERFLOW: [431, 'invalid_request', 'The request line and headers are too long.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    413,
    'payload_too_large',
    'The chunk extensions of the body are too long.',
  ],
  CONNECT: [405, 'method_not_allowed', 'CONNECT is not supported.'],
}
const MALFORMED_HTTP = [400, 'invalid_request', 'The request is not well-formed HTTP.'] as const

/**
 * Replies directly on the socket to malformed, slow or overlong requests, and then closes it. A reply to
 * an earlier request is sent first: in the middle of it, the bytes would be taken for a part of it.
 */
export function createClientErrorHandler(
  { baseUrl }: Pick<AppContext, 'baseUrl'>,
  { findPendingReply, recordUnreadable }: RequestTracker,
) {
  const waitingSockets = new WeakSet<Duplex>()
  const securityHeaders = Object.entries(strictTransportSecurity(baseUrl))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  return ({ code = '' }: { code?: string }, socket: Duplex): void => {
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && isExemptFromRequestTimeout(socket)) return
    const pending = findPendingReply(socket)
    if (code === 'ECONNRESET' || !socket.writable || pending?.request.isEventStream) {
      socket.destroy()
    } else if (!pending) replyTo(code, socket)
    else if (!waitingSockets.has(socket)) {
      // Each further piece of what it cannot read is an error, too.
      waitingSockets.add(socket)
      pending.raw.once('close', () => replyTo(code, socket))
    }
  }

  function replyTo(code: string, socket: Duplex): void {
    if (!socket.writable) return
    const error = new ApiError(...(CLIENT_ERRORS[code] ?? MALFORMED_HTTP))
    const { status } = error
    const request_id = recordUnreadable(socket, status)
    const body = toErrorBody(baseUrl, request_id, error)
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
        'content-type: application/json; charset=utf-8\r\n' +
        `x-request-id: ${request_id}\r\nx-content-type-options: nosniff\r\n` +
        `cache-control: no-store\r\n${securityHeaders}` +
        (status === 405 ? 'allow: GET, HEAD, POST, PATCH, DELETE\r\n' : '') +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
    // Closing with unread bytes resets the connection, and the reply could be lost.
    socket.removeAllListeners('data').resume()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}
