import type { FastifyInstance } from 'fastify'
import { unsubscribe } from '#storage/unsubscribing.ts'
import { collect } from './body.ts'
import type { Handler } from './handling.ts'
import type { House } from './house.ts'
import { unsubscribedPage, unsubscribePage, wrongUnsubscribePage } from './pages/unsubscribing.ts'
import { send } from './send.ts'
import { documentHeaders } from './web/policy.ts'

const PATH = '/unsubscribe/:token'
/** What a mail program posts says nothing that matters, and is small. */
const MOST_BYTES = 65_536

/**
 * Serves the address by which mails are ended (RFC 8058): a POST does it, from a mail program or from the
 * page. A GET only shows that page, for whatever looks at links before people do. Gives its methods.
 */
export function serveUnsubscribe(server: FastifyInstance, house: House): Record<string, string[]> {
  const { storage, addressLimit, baseUrl } = house
  const headers = documentHeaders(baseUrl, { referrer: 'no-referrer' })
  const ask: Handler = (request, reply) =>
    send(request, reply, { status: 200, body: unsubscribePage(), headers })
  const end: Handler = async (request, reply) => {
    await collect(request.raw, MOST_BYTES)
    const { token = '' } = request.params as { token?: string }
    if (await unsubscribe(storage, token)) {
      return send(request, reply, { status: 200, body: unsubscribedPage(), headers })
    }
    addressLimit(request.ip)
    return send(request, reply, { status: 404, body: wrongUnsubscribePage(), headers })
  }
  server.get(PATH, ask)
  server.post(PATH, end)
  return { [PATH]: ['GET', 'HEAD', 'POST'] }
}
