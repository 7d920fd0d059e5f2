import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../app-context.ts'
import { createAccessLog, formatAccessLogLine, loggedAddressOf } from './access-log.ts'
import { createRequestRecorder } from './request-metrics.ts'
import { endRequestSpan } from './request-spans.ts'

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
  const { load, log } = context
  const logRequest = createAccessLog(context)
  const measure = createRequestRecorder(context)
  const isLogged = log.isLevelEnabled('info')

  /**
   * Tracks a request until its reply has been sent or its client has left; one that is refused is not in
   * flight. A hook of Fastify would add two listeners and run a chain of hooks for each request, and
   * misses those whose client has left.
   */
  function track(request: FastifyRequest, response: ServerResponse, isRefused: boolean): void {
    if (!isRefused) load.requests += 1
    response.once('close', () => {
      const isComplete = response.writableEnded || request.isEventStream
      const status = isComplete ? response.statusCode : CONNECTION_CLOSED_STATUS
      const route = request.routeOptions.url
      if (!isRefused) {
        if (!request.isEventStream) load.requests -= 1
        load.served += 1
      }
      logRequest(request, { route, status })
      measure(request.method, route, status, performance.now() - request.arrivedAt)
      endRequestSpan(request, status)
    })
  }

  /** Logs and measures a request that Fastify never got. */
  function recordEarlyEnd(
    { id, method, status, arrivedAt }: EarlyEnd,
    from: Pick<IncomingMessage, 'headers' | 'socket'>,
  ): void {
    measure(method ?? '', undefined, status, performance.now() - arrivedAt)
    if (!isLogged) return
    const address = loggedAddressOf(from, context)
    log.line(formatAccessLogLine({ id, method, status, arrivedAt, address }))
  }

  return { track, recordEarlyEnd }
}
