import type { IncomingMessage } from 'node:http'
import { isLoopback } from './transport-checks.ts'

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
