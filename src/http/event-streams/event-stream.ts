import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../app-context.ts'
import { endRequestSpan } from '../server/request-end.ts'

export const EVENT_STREAM_TYPE = 'text/event-stream'

export const EVENT_STREAM_HEADERS = {
  'content-type': `${EVENT_STREAM_TYPE}; charset=utf-8`,
  'cache-control': 'no-store',
  // Proxies must not buffer the events.
  'x-accel-buffering': 'no',
}

/**
 * Marks a request as an open stream of events. It may last for days and does no work, so it is no
 * request in flight, and its span ends. That its client leaves is its usual end.
 */
export function beginEventStream(
  { load }: Pick<AppContext, 'load'>,
  request: FastifyRequest,
): void {
  load.requests -= 1
  request.isEventStream = true
  endRequestSpan(request, 200)
}
