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
  if (forwarded === undefined) return addressOfPeer(remote)
  const hops = [...String(forwarded).split(','), remote]
  return normalizeAddress(hops[Math.max(0, hops.length - 1 - trustProxy)]?.trim() ?? '')
}

const MAX_PEERS = 1_000
const peers = new Map<string, string | null>()

/** The normalized address of the other end. Its requests come one after the other, so it is cached. */
function addressOfPeer(remote: string): string | null {
  let address = peers.get(remote)
  if (address === undefined) {
    if (peers.size >= MAX_PEERS) peers.clear()
    address = normalizeAddress(remote)
    peers.set(remote, address)
  }
  return address
}
