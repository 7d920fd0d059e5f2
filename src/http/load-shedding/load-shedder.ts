import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Gauge } from 'prom-client'
import { newId } from '#lib/id.ts'
import type { AppContext } from '../app-context.ts'
import { toErrorBody } from '../reply/error-reply.ts'
import { JSON_REPLY_HEADERS, writeReply } from '../reply/send.ts'
import type { createTransportChecks } from '../request/transport-checks.ts'
import { CONNECTION_CLOSED_STATUS, type RequestTracker } from '../server/request-end.ts'
import { isExemptFromShedding, OVERLOADED_ERROR, type OverloadMonitor } from './overload.ts'
import type { RequestQueue } from './request-queue.ts'

/**
 * One queued request is served for this many refused ones. Refused clients retry at once, and a
 * thousand of them could keep the event loop from ever reaching the queue.
 */
const REFUSALS_PER_SERVED_REQUEST = 4

/**
 * Beyond this many requests in flight, further ones are queued before anything is allocated for
 * them, and the queue starts only some in each turn, however many are in flight. Measured: with a
 * thousand in flight each costs a third more, because the garbage collector copies their objects
 * again and again.
 */
const MAX_UNQUEUED_REQUESTS = 64
/** Normally as many as may be connected; under overload, what is served in half a second. */
const MAX_QUEUE_LENGTH = { normal: 10_000, overloaded: 750 }

interface LoadShedderDeps {
  context: AppContext
  transportChecks: ReturnType<typeof createTransportChecks>
  overload: OverloadMonitor
  queue: RequestQueue
  recordEarlyEnd: RequestTracker['recordEarlyEnd']
}

/**
 * Refuses excess requests before Fastify sees them, which is cheap and leaves the capacity to the
 * others. Admitted requests are queued when there are many: a request that is going to be refused
 * does not wait behind them.
 */
export function installLoadShedder(
  server: Server,
  { context, transportChecks, overload, queue, recordEarlyEnd }: LoadShedderDeps,
): void {
  const { baseUrl, load, registry, storage } = context
  const listeners = server.listeners('request') as RequestListener[]
  const serveNow: RequestListener = (request, response) => {
    for (const listener of listeners) listener.call(server, request, response)
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
    storage.shareTurn()
    const isIdle = load.requests < MAX_UNQUEUED_REQUESTS && queue.length === 0
    if (isIdle && !overload.isShedding) return serveNow(request, response)
    // A malformed request gets its usual error from Fastify's handlers, never a 503.
    if (isExemptFromShedding(request.url ?? '') || transportChecks.checkRequest(request))
      return serveNow(request, response)
    const maxLength = overload.isShedding ? MAX_QUEUE_LENGTH.overloaded : MAX_QUEUE_LENGTH.normal
    if (
      overload.shouldAdmit(request) &&
      queue.enqueue(maxLength, request, () => serveIfConnected(request, response))
    )
      return
    refuse(request, response)
    if (overload.refusedCount % REFUSALS_PER_SERVED_REQUEST === 0) queue.serveOldest()
  })

  function serveIfConnected(request: IncomingMessage, response: ServerResponse): void {
    if (!request.socket.destroyed) {
      serveNow(request, response)
      return
    }
    const arrivedAt = queue.queuedAt(request) ?? performance.now()
    const { method = '' } = request
    const status = CONNECTION_CLOSED_STATUS
    recordEarlyEnd({ id: newId('req'), method, status, arrivedAt }, request)
  }

  /** Sends the reply that Fastify sends for a refusal of `findRefusal` in overload.ts. */
  function refuse(request: IncomingMessage, response: ServerResponse): void {
    const arrivedAt = performance.now()
    const { method = '', url = '' } = request
    const id = newId('req')
    const headers = {
      ...transportChecks.createReplyHeaders(id, url),
      ...OVERLOADED_ERROR.headers,
      ...JSON_REPLY_HEADERS,
    }
    overload.recordRefusal(arrivedAt)
    writeReply(
      request,
      response,
      { status: OVERLOADED_ERROR.status, headers },
      toErrorBody(baseUrl, id, OVERLOADED_ERROR),
    )
    recordEarlyEnd({ id, method, status: OVERLOADED_ERROR.status, arrivedAt }, request)
  }
}
