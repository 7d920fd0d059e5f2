import type { IncomingMessage } from 'node:http'
import { normalizeAddress } from '#lib/ip-address.ts'

/**
 * The address of the client, which is `request.ip` of Fastify, for logs: also of requests that are
 * refused before Fastify sees them. Null if a proxy has sent something else.
 */
export function clientAddressOf(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustProxy: number,
): string | null {
  const remote = socket.remoteAddress ?? ''
  const forwarded = trustProxy > 0 ? headers['x-forwarded-for'] : undefined
  if (forwarded === undefined) return normalizeAddress(remote)
  const hops = [...String(forwarded).split(','), remote]
  return normalizeAddress(hops[Math.max(0, hops.length - 1 - trustProxy)]?.trim() ?? '')
}
