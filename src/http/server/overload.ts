import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '#core/api-error.ts'
import { newId } from '#lib/id.ts'
import type { AppContext } from '../app-context.ts'
import { toErrorBody } from '../reply/error-reply.ts'
import { JSON_REPLY_HEADERS, writeReply } from '../reply/send.ts'
import type { createTransportChecks } from '../request/transport-checks.ts'
import type { RequestTracker } from './request-end.ts'

/** So many requests in flight are always served, and cost nothing here. */
export const MIN_IN_FLIGHT = 32
/** About what is served in half a second. */
export const MAX_IN_FLIGHT = 1_024
/** The part that one workspace may have while it is reduced; unknown credentials have one together. */
const WORKSPACES = 4
/** How often the delay of the event loop is measured, and how long it may be. */
export const SAMPLE_INTERVAL_MS = 100
const MAX_DELAY_MS = 100

/**
 * Operators must be able to observe an overloaded process. Files of the web app are cheap, and a
 * page that fails to load one stays broken until it is reloaded.
 */
const EXEMPT_PATHS = /^\/((healthz|readyz|metrics)(\?|$)|app\/)/

/** They mostly wait, for minutes or days, which is no work: they are nobody's part. */
const WAITING_PATHS = /^\/(api\/v1|internal)\/changes(\?|$)/

export const isExemptFromShedding = (url: string): boolean => EXEMPT_PATHS.test(url)

/** Created once: capturing a stack trace would cost more than the rest of a refusal. */
const OVERLOADED_ERROR = new ApiError(
  503,
  'unavailable',
  'Docket is overloaded. Try again in a few seconds.',
  { headers: { 'retry-after': '1' } },
)

interface OverloadDeps {
  context: AppContext
  transportChecks: ReturnType<typeof createTransportChecks>
  recordEarlyEnd: RequestTracker['recordEarlyEnd']
}

/**
 * Refuses requests while too many are in flight, before Fastify sees them and before their body is
 * read, which is cheap and leaves the capacity to the others. How many are too many follows the delay
 * of the event loop: the maximum is halved while that is late, and doubles while it is not.
 */
export function limitRequestsInFlight(
  fastify: FastifyInstance,
  { context, transportChecks, recordEarlyEnd }: OverloadDeps,
): void {
  const { authenticator, baseUrl, load, log } = context
  const { server } = fastify
  const inFlight = new Map<string, number>()
  let max = MAX_IN_FLIGHT
  let [sampledAt, refused, refusedBefore] = [0, 0, 0]

  function sample(): void {
    const now = performance.now()
    const isLate = now - sampledAt - SAMPLE_INTERVAL_MS > MAX_DELAY_MS
    sampledAt = now
    // The rest of the start delays requests, and not their number.
    if (context.lifecycle.isStarting) return
    max = isLate ? Math.max(MIN_IN_FLIGHT, max / 2) : Math.min(MAX_IN_FLIGHT, max * 2)
    // Not a line for each refusal, which would add to the overload.
    if (refused > 0 && refusedBefore === 0)
      log.warn('The server is overloaded: some requests are refused with 503')
    const hasEnded = refused === refusedBefore && max === MAX_IN_FLIGHT
    if (hasEnded && refused > 0)
      log.warn({ refused }, 'The overload has ended: all requests are accepted again')
    refused = hasEnded ? 0 : refused
    refusedBefore = refused
  }

  let timer: NodeJS.Timeout | undefined
  fastify.addHook('onListen', (done) => {
    sampledAt = performance.now()
    if (load.isShed) timer = setInterval(sample, SAMPLE_INTERVAL_MS).unref()
    done()
  })
  fastify.addHook('onClose', (_, done) => {
    clearInterval(timer)
    done()
  })

  const listeners = server.listeners('request') as RequestListener[]
  const serve: RequestListener = (request, response) => {
    for (const listener of listeners) listener.call(server, request, response)
  }
  server.removeAllListeners('request').on('request', (request, response) => {
    if (load.requests < MIN_IN_FLIGHT || !load.isShed) return serve(request, response)
    // A malformed request gets its usual error from Fastify's handlers, never a 503.
    const { url = '' } = request
    if (isExemptFromShedding(url) || transportChecks.checkRequest(request))
      return serve(request, response)
    const { authorization, cookie } = request.headers
    const workspace = authenticator.findRecentWorkspace(authorization, cookie) ?? ''
    const own = inFlight.get(workspace) ?? 0
    const isReduced = max < MAX_IN_FLIGHT
    if (load.requests >= max || (isReduced && own >= max / WORKSPACES))
      return refuse(request, response)
    if (WAITING_PATHS.test(url)) return serve(request, response)
    inFlight.set(workspace, own + 1)
    response.on('close', () => {
      const left = (inFlight.get(workspace) ?? 1) - 1
      if (left === 0) inFlight.delete(workspace)
      else inFlight.set(workspace, left)
    })
    serve(request, response)
  })

  function refuse(request: IncomingMessage, response: ServerResponse): void {
    refused += 1
    const arrivedAt = performance.now()
    const { method = '', url = '' } = request
    const { status, headers: retryHeaders } = OVERLOADED_ERROR
    const id = newId('req')
    const replyHeaders = transportChecks.createReplyHeaders(id, url)
    const headers = { ...replyHeaders, ...retryHeaders, ...JSON_REPLY_HEADERS }
    const body = toErrorBody(baseUrl, id, OVERLOADED_ERROR)
    writeReply(request, response, { status, headers }, body)
    recordEarlyEnd({ id, method, status, arrivedAt }, request)
  }
}
