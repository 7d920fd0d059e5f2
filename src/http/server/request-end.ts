import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client'
import type { UserActor } from '#core/actor.ts'
import { type RequestLogEntry, requestLog } from '#core/request-log.ts'
import { newId } from '#lib/id.ts'
import type { AppContext, Metrics } from '../app-context.ts'
import { createAccessLog, formatAccessLogLine, loggedAddressOf } from './log.ts'
import { registerProcessMetrics } from './process-metrics.ts'

const DURATION_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
]

/** Records one reply; `route` is the pattern, undefined where no route matched. */
type RequestRecorder = (
  method: string,
  route: string | undefined,
  status: number,
  ms: number,
) => void

/** Records the duration of every reply by route pattern and status, never by person or record. */
function createRequestRecorder({ registry }: Pick<Metrics, 'registry'>): RequestRecorder {
  const durations = new Histogram({
    name: 'docket_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its reply',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  })
  return (method, route = 'none', status, ms) =>
    durations.observe({ method: normalizeMethod(method), route, status }, ms / 1_000)
}

/**
 * Gauges of prom-client whose names say that they are counters, which `promtool check metrics` rejects.
 * The same values by type are in nodejs_active_handles, nodejs_active_requests and
 * nodejs_active_resources.
 */
const MISNAMED_METRICS = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/**
 * Registers the metrics of the Node process, which watch it for as long as it runs: called once per
 * process, however many servers it opens.
 */
export function registerRuntimeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED_METRICS) registry.removeSingleMetric(name)
}

/** Registers the metrics of the server, and returns a function that renders all for Prometheus. */
export function createMetricsReader({ metrics, storage, load }: AppContext) {
  registerProcessMetrics(metrics.registry, storage, load)
  return async () => ({ body: await metrics.render(), type: metrics.registry.contentType })
}

/** A client could invent any number of methods, and each label value stays in memory. */
const normalizeMethod = (method: string) =>
  ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PUT'].includes(method) ? method : 'other'

/** The status of a request whose connection closed before its reply was complete; no reply has it. */
export const CONNECTION_CLOSED_STATUS = 499

/** The end of a request that Fastify never got. */
interface EarlyEnd {
  id: string
  /** Null if no method could be read. */
  method: string | null
  status: number
  /** `performance.now()` at arrival. */
  arrivedAt: number
}

export type RequestTracker = ReturnType<typeof createRequestTracker>

/** Logs and measures each request at its end, and counts those in flight. */
export function createRequestTracker(context: AppContext) {
  const { load, log, storage } = context
  const logRequest = createAccessLog(context)
  const measure = createRequestRecorder(context.metrics)
  const isLogged = log.isLevelEnabled('info')
  /** The reply to the latest request of each connection, until both have ended. */
  const openReplies = new WeakMap<Duplex, FastifyReply>()
  /** The statuses that connections have replied to requests whose body could not be read. */
  const unreadableStatuses = new WeakMap<FastifyReply, number>()

  /**
   * Tracks a request until its reply has been sent or its client has left; one that is refused is not in
   * flight. A hook of Fastify would add two listeners and run a chain of hooks for each request, and
   * misses those whose client has left.
   */
  function track(reply: FastifyReply, isRefused: boolean): void {
    const { request, raw: response } = reply
    const { socket } = request.raw
    if (!isRefused) load.requests += 1
    openReplies.set(socket, reply)
    // Emitted once; `once` would cost every request a wrapper.
    response.on('close', () => {
      // An idle connection would keep its last request in memory.
      if (request.raw.complete && openReplies.get(socket) === reply) openReplies.delete(socket)
      const isComplete = response.writableEnded || request.isEventStream
      const status =
        unreadableStatuses.get(reply) ??
        (isComplete ? response.statusCode : CONNECTION_CLOSED_STATUS)
      const route = request.routeOptions.url
      request.unsentReplies.release(request)
      if (!isRefused && !request.isEventStream) load.requests -= 1
      logRequest(request, { route, status })
      rememberRequest(request, {
        route: route ?? '',
        status,
        endedAtMs: storage.clock.now(),
      })
      measure(request.method, route, status, performance.now() - request.arrivedAt)
    })
  }

  /** Logs and measures a request that Fastify never got. */
  function recordEarlyEnd(
    { id, method, status, arrivedAt }: EarlyEnd,
    from: Pick<IncomingMessage, 'headers' | 'socket'>,
  ): void {
    measure(method ?? '', undefined, status, performance.now() - arrivedAt)
    if (!isLogged) return
    const address = loggedAddressOf(from, context.network)
    log.line(formatAccessLogLine({ id, method, status, arrivedAt, address }))
  }

  /** The reply that a connection is sending, or is going to send, to a request that it has read. */
  function findPendingReply(socket: Duplex): FastifyReply | undefined {
    const reply = openReplies.get(socket)
    // A reply that was sent before the body had arrived may be closed.
    return reply?.request.raw.complete && !reply.raw.closed ? reply : undefined
  }

  /**
   * Records that a connection replies to what it cannot read, and returns the id of the request. If only
   * the body cannot be read, the request is tracked and has its one line when the connection closes.
   */
  function recordUnreadable(socket: Duplex, status: number): string {
    const reply = openReplies.get(socket)
    if (reply && !reply.request.raw.complete) {
      if (!reply.raw.writableEnded) unreadableStatuses.set(reply, status)
      return reply.request.id
    }
    const id = newId('req')
    if (socket instanceof Socket && socket.bytesRead > 0) {
      const arrivedAt = performance.now()
      recordEarlyEnd({ id, method: null, status, arrivedAt }, { headers: {}, socket })
    }
    return id
  }

  return { track, recordEarlyEnd, findPendingReply, recordUnreadable }
}

/** Whether a client can ask later what has become of its request: one to the public API, by a valid credential. */
export const isRemembered = (actor: UserActor | null, route = ''): actor is UserActor =>
  actor !== null && route.startsWith('/api/v1/')

/** Every request pays for its entry: what a reader can derive from it is not in it. */
function rememberRequest(
  request: FastifyRequest,
  { route, status, endedAtMs }: Pick<RequestLogEntry, 'route' | 'status' | 'endedAtMs'>,
): void {
  const { id, method, actor, errorCode: error_code } = request
  if (!isRemembered(actor, route)) return
  const { workspace_id, user_id, type: actor_type, role } = actor
  const sent = request.sentHeaders ?? request.replyHeaders
  const operation_id = sent['x-operation-id']
  requestLog.add({
    id,
    endedAtMs,
    method,
    route,
    status,
    error_code,
    workspace_id,
    user_id,
    actor_type,
    credential_id: actor_type === 'user' ? null : actor.credential_id,
    role,
    limit: Number(sent['x-ratelimit-limit']),
    remaining: Number(sent['x-ratelimit-remaining']),
    reset: Number(sent['x-ratelimit-reset']),
    hasIdempotencyKey: hasIdempotencyKey(request.raw),
    isReplayed: sent['idempotency-replayed'] !== undefined,
    operation_id: typeof operation_id === 'string' ? operation_id : null,
  })
}

/** Reads and dry runs ignore the key. */
const hasIdempotencyKey = ({ headers, method, url = '' }: IncomingMessage): boolean =>
  headers['idempotency-key'] !== undefined &&
  method !== 'GET' &&
  method !== 'HEAD' &&
  !url.includes('dry_run=true')
