import dns from 'node:dns'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'

interface ListenAddress {
  host: string
  port: number
}

/**
 * Listens, and returns the URL of the first address. `localhost` may have an address of IPv4 and one
 * of IPv6; `onSkipped` receives those that cannot be listened on, except the first. Fastify would
 * create another HTTP server for the second one, which would have neither the load shedding nor the
 * limits of the first.
 */
export async function listenOn(
  server: FastifyInstance,
  { host, port }: ListenAddress,
  onSkipped: (address: string, error: unknown) => void = () => {},
): Promise<string> {
  if (host !== 'localhost') return server.listen({ host, port })
  const found = await promisify(dns.lookup)(host, { all: true })
  const [first = host, ...others] = new Set(found.map(({ address }) => address))
  const listeners: Server[] = []
  server.addHook('preClose', () => closeListeners(server, listeners))
  // Each listener only counts its own connections.
  const { maxConnections } = server.server
  server.server.maxConnections = Math.floor(maxConnections / (others.length + 1))
  const url = await server.listen({ host: first, port })
  const boundPort = Number(new URL(url).port)
  for (const address of others) {
    const listener = createForwarder(server)
    listeners.push(listener)
    listener.listen({ host: address, port: boundPort })
    await once(listener, 'listening').catch((error) => onSkipped(address, error))
  }
  return url
}

/** Accepts connections for the HTTP server, which then serves them like its own. */
function createForwarder({ server }: FastifyInstance): Server {
  // The options of Node's HTTP server.
  const options = { allowHalfOpen: true, noDelay: true }
  const forwarder = createServer(options, (socket) => server.emit('connection', socket))
  forwarder.maxConnections = server.maxConnections
  return forwarder
}

/** Accepts no further connections, and waits for the requests of those that are open. */
async function closeListeners({ server }: FastifyInstance, listeners: Server[]): Promise<void> {
  const open = listeners.filter(({ listening }) => listening)
  const closed = open.map((listener) => once(listener.close(), 'close'))
  server.closeIdleConnections()
  await Promise.all(closed)
}
