import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '#core/refusal.ts'
import { newId } from '#lib/id.ts'
import type { House } from './house.ts'
import { isUnhurried } from './patience.ts'
import { problemOf } from './problem.ts'

const LINGER_MS = 500

/** What the parser found wrong, by Node's code; anything else is no HTTP. */
const KNOWN: Record<string, readonly [status: number, code: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [431, 'invalid_request', 'Request line and headers are too long.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'payload_too_large', 'The extensions are too long.'],
  CONNECT: [405, 'method_not_allowed', 'Docket is no proxy.'],
}
const NO_HTTP = [400, 'invalid_request', 'This is not well-formed HTTP.'] as const

/** Answers on the socket what is no request: malformed, too slow or too long. It is closed then. */
export function malformed({ baseUrl }: Pick<House, 'baseUrl'>) {
  return ({ code = '' }: { code?: string }, socket: Duplex): void => {
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUnhurried(socket)) return
    if (code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const refusal = new Refusal(...(KNOWN[code] ?? NO_HTTP))
    const request_id = newId('req')
    const body = problemOf(baseUrl, request_id, refusal)
    socket.end(
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n` +
        'content-type: application/json; charset=utf-8\r\n' +
        `x-request-id: ${request_id}\r\nx-content-type-options: nosniff\r\n` +
        'cache-control: no-store\r\n' +
        (refusal.status === 405 ? 'allow: GET, HEAD, POST, PATCH, DELETE\r\n' : '') +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
    // Closed with bytes unread it would be reset, and the answer might be lost.
    socket.removeAllListeners('data').resume()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}
