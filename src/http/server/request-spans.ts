import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SpanOptions, TraceRecorder } from '#core/trace-recorder.ts'
import { normalizeMethod } from './request-metrics.ts'

/**
 * Creates a span for each request with method, route pattern, credential and status. It never
 * holds the address, the query, headers or bodies. `untraced` lists routes that machines poll all
 * the time.
 */
export function traceRequests(
  server: FastifyInstance,
  traces: TraceRecorder,
  untraced: ReadonlySet<string>,
): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { url: route } = request.routeOptions
    if (route !== undefined && untraced.has(route)) return done()
    const span = traces.startRequestSpan(request.headers.traceparent, () =>
      describeRequest(request),
    )
    if (!span) return done()
    request.span = span
    span.run(done)
  })
}

function describeRequest({
  method: rawMethod,
  routeOptions: { url: route },
  id,
}: FastifyRequest): SpanOptions {
  const knownMethod = normalizeMethod(rawMethod)
  const method = knownMethod === 'other' ? '_OTHER' : knownMethod
  return {
    name: route === undefined ? method : `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      'docket.request_id': id,
    },
  }
}

/** Ends the span of a request, if it has one. A live stream ends it when it begins. */
export function endRequestSpan({ span, actor }: FastifyRequest, status: number): void {
  if (!span) return
  span.set({
    'http.response.status_code': status,
    ...(actor && { 'docket.workspace_id': actor.workspace_id }),
    ...(actor?.credential_id && { 'docket.credential_id': actor.credential_id }),
  })
  span.end(status >= 500 ? String(status) : undefined)
}
