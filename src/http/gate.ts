import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Gauge } from 'prom-client'
import { newId } from '#lib/id.ts'
import { accessLine } from './access-log.ts'
import type { arrival } from './arrival.ts'
import type { House } from './house.ts'
import type { Measure } from './metrics.ts'
import { isExempt, type Overload, SHED } from './overload.ts'
import { problemOf } from './problem.ts'
import { JSON_REPLY, write } from './send.ts'
import type { Queue } from './waiting.ts'

/**
 * After so many that are refused one that waits is served: those who are refused come again at once, and
 * while a thousand do the event loop finds no end of them.
 */
const REFUSED_FOR_ONE = 4

/**
 * With so many under way further ones wait before anything is made for them: a thousand at a time cost a
 * third more each (measured), for the collector copies what they hold again and again.
 */
const MANY = 64
/** So many may wait: as many as may be connected, or, while some are refused, what is done in half a second. */
const ROOM = { calm: 10_000, full: 750 }

/** What a gate stands in front of, and what it needs to answer as the house does. */
interface Guarded {
  house: House
  arriving: ReturnType<typeof arrival>
  overload: Overload
  queue: Queue
  measure: Measure
}

/**
 * Refuses what is too much before the framework sees it, which costs little, so that what can be done is
 * done. What is let in waits in a queue when there is much of it: nobody waits for a refusal until all
 * those before have been served.
 */
export function putGate(
  server: Server,
  { house, arriving, overload, queue, measure }: Guarded,
): void {
  const { baseUrl, load, log, registry } = house
  const isLogged = log.isLevelEnabled('info')
  const serve = server.listeners('request') as RequestListener[]
  const serveNow: RequestListener = (request, response) => {
    for (const one of serve) one.call(server, request, response)
  }

  new Gauge({
    name: 'docket_http_requests_waiting',
    help: 'Requests that wait until those before them are begun',
    registers: [registry],
    collect() {
      this.set(queue.length)
    },
  })
  server.removeAllListeners('request').on('request', (request, response) => {
    const isCalm = load.requests < MANY && queue.length === 0
    if (isCalm && overload.share === 1) return serveNow(request, response)
    // What is no request at all is told so, by whom it always is.
    if (isExempt(request.url ?? '') || arriving.refusalOf(request))
      return serveNow(request, response)
    const room = overload.share === 1 ? ROOM.calm : ROOM.full
    if (overload.admits() && queue.put(room, request, () => serveIfThere(request, response))) return
    refuse(request, response)
    if (overload.refused % REFUSED_FOR_ONE === 0) queue.serveOldest()
  })

  function serveIfThere(request: IncomingMessage, response: ServerResponse): void {
    if (!request.socket.destroyed) serveNow(request, response)
  }

  /** The same as the framework's way gives in the end: `late` in overload.ts. */
  function refuse(request: IncomingMessage, response: ServerResponse): void {
    const arrivedAt = performance.now()
    const { method = '', url = '' } = request
    const id = newId('req')
    const headers = { ...arriving.outgoingOf(id, url), ...SHED.headers, ...JSON_REPLY }
    overload.refuse(arrivedAt)
    write(request, response, { status: SHED.status, headers }, problemOf(baseUrl, id, SHED))
    measure(method, undefined, SHED.status, performance.now() - arrivedAt)
    if (isLogged) log.line(accessLine({ id, method, status: SHED.status, arrivedAt }))
  }
}
