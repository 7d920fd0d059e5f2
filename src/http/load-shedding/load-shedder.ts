import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Gauge } from 'prom-client'
import { ApiError } from '#core/api-error.ts'
import { newId } from '#lib/id.ts'
import type { AppContext } from '../app-context.ts'
import { toErrorBody } from '../reply/error-reply.ts'
import { JSON_REPLY_HEADERS, writeReply } from '../reply/send.ts'
import type { createTransportChecks } from '../request/transport-checks.ts'
import { serveInTurn } from '../server/pipelined-requests.ts'
import { CONNECTION_CLOSED_STATUS, type RequestTracker } from '../server/request-end.ts'
import { createOverloadMonitor, isExemptFromShedding } from './overload.ts'

/**
 * Beyond this many requests in flight, further ones are queued before anything is allocated for
 * them. Measured: with a thousand in flight each costs a third more, because the garbage collector
 * copies their objects again and again.
 */
const MAX_UNQUEUED_REQUESTS = 64
/** What is served in about half a second. */
const MAX_QUEUE_LENGTH = 1_000
/** Of each turn of the event loop; then new requests are queued or refused. */
const MAX_REQUESTS_PER_TURN = 32
const MAX_TURN_MS = 30
/**
 * One queued request is served for this many refused ones. Refused clients retry at once, and a
 * thousand of them could keep the event loop from ever reaching the queue.
 */
const REFUSALS_PER_SERVED_REQUEST = 4

/** Created once: capturing a stack trace would cost more than the rest of a refusal. */
const OVERLOADED_ERROR = new ApiError(
  503,
  'unavailable',
  'Docket is overloaded. Try again in a few seconds.',
  { headers: { 'retry-after': '1' } },
)

/** Admitted requests that are not served yet, the oldest first. */
export class RequestQueue {
  readonly #requests: { since: number; serve: () => void }[] = []
  readonly #queuedAt = new WeakMap<IncomingMessage, number>()
  #isScheduled = false

  get length(): number {
    return this.#requests.length
  }

  /** How long the oldest request has waited, in milliseconds. */
  get oldestAge(): number {
    const oldest = this.#requests[0]
    return oldest ? performance.now() - oldest.since : 0
  }

  /** Queues a request for a later turn; returns false if the queue is full. */
  enqueue(request: IncomingMessage, serve: () => void): boolean {
    if (this.length >= MAX_QUEUE_LENGTH) return false
    const since = performance.now()
    this.#queuedAt.set(request, since)
    this.#requests.push({ since, serve })
    if (!this.#isScheduled) this.#scheduleTurn()
    return true
  }

  /** Returns when a request was queued, by `performance.now()`; undefined if it never was. */
  queuedAt(request: IncomingMessage): number | undefined {
    return this.#queuedAt.get(request)
  }

  serveOldest(): void {
    this.#requests.shift()?.serve()
  }

  /** Callbacks of `setImmediate` run in the next turn, and the promises of each settle in between. */
  readonly #scheduleTurn = (): void => {
    this.#isScheduled = this.length > 0
    if (!this.#isScheduled) return
    let endsAt: number | undefined
    const serveNext = () => {
      const now = performance.now()
      endsAt ??= now + MAX_TURN_MS
      if (now < endsAt) this.serveOldest()
    }
    const count = Math.min(MAX_REQUESTS_PER_TURN, this.length)
    for (let n = 0; n < count; n += 1) setImmediate(serveNext)
    setImmediate(this.#scheduleTurn)
  }
}

interface LoadShedderDeps {
  context: AppContext
  transportChecks: ReturnType<typeof createTransportChecks>
  recordEarlyEnd: RequestTracker['recordEarlyEnd']
}

/**
 * Refuses excess requests before Fastify sees them and before their body is read, which is cheap and
 * leaves the capacity to the others. Admitted requests are queued when there are many: a request that
 * is going to be refused does not wait behind them. Returns the queue.
 */
export function installLoadShedder(
  fastify: FastifyInstance,
  { context, transportChecks, recordEarlyEnd }: LoadShedderDeps,
): RequestQueue {
  const { baseUrl, load, registry, storage } = context
  const { server } = fastify
  const queue = new RequestQueue()
  const overload = createOverloadMonitor(fastify, context, queue)
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
  const serveOrQueue: RequestListener = (request, response) => {
    storage.shareTurn()
    const isIdle = load.requests < MAX_UNQUEUED_REQUESTS && queue.length === 0
    if (request.socket.destroyed) return serveIfConnected(request, response)
    if (isIdle && !overload.isShedding) return serveNow(request, response)
    // A malformed request gets its usual error from Fastify's handlers, never a 503.
    if (isExemptFromShedding(request.url ?? '') || transportChecks.checkRequest(request))
      return serveNow(request, response)
    const serve = () => serveIfConnected(request, response)
    if (!overload.shouldAdmit(request) || !queue.enqueue(request, serve)) refuse(request, response)
  }
  server.removeAllListeners('request').on('request', serveInTurn(serveOrQueue))

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

  function refuse(request: IncomingMessage, response: ServerResponse): void {
    const arrivedAt = performance.now()
    const { method = '', url = '' } = request
    const { status, headers: retryHeaders } = OVERLOADED_ERROR
    const id = newId('req')
    const headers = {
      ...transportChecks.createReplyHeaders(id, url),
      ...retryHeaders,
      ...JSON_REPLY_HEADERS,
    }
    const body = toErrorBody(baseUrl, id, OVERLOADED_ERROR)
    writeReply(request, response, { status, headers }, body)
    recordEarlyEnd({ id, method, status, arrivedAt }, request)
    if (overload.recordRefusal(arrivedAt) % REFUSALS_PER_SERVED_REQUEST === 0) queue.serveOldest()
  }

  return queue
}
