import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '#core/api-error.ts'
import { isLoopback } from '#lib/web-origin.ts'
import type { AppContext } from '../app-context.ts'

/** Headers that only proxies add, besides those that begin with `x-forwarded-`. */
const PROXY_HEADERS = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-original-host',
  'x-original-forwarded-for',
  'true-client-ip',
  'cf-connecting-ip',
  'fly-client-ip',
  'fastly-client-ip',
])

/**
 * Whether a request comes from a program on this machine, and from no proxy that passes on what
 * others send, as far as that can be recognized: a proxy may add no header at all. nginx without
 * settings is one, and speaks HTTP/1.0, which neither browsers nor curl do.
 */
export function isDirectLocalRequest({ headers, httpVersion, socket }: IncomingMessage): boolean {
  const isFromProxy = (name: string) => name.startsWith('x-forwarded-') || PROXY_HEADERS.has(name)
  if (httpVersion === '1.0' || Object.keys(headers).some(isFromProxy)) return false
  return isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
}

/** Returns the id of the browser's session; null if there is none or it has ended. */
export async function findSessionId(
  { authenticator }: AppContext,
  { headers }: FastifyRequest,
): Promise<string | null> {
  if (headers.cookie === undefined) return null
  try {
    return (await authenticator.authenticate(undefined, headers.cookie)).credential_id
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    return null
  }
}
