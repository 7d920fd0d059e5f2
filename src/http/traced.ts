import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Doing, Traces } from '#core/traces.ts'
import { methodOf } from './metrics.ts'

/**
 * Makes a span of each request: what was asked by pattern, by whom, how it ended. Never what the
 * address, the query, headers or bodies hold. `untraced` are routes that machines ask all the time.
 */
export function traceRequests(
  server: FastifyInstance,
  traces: Traces,
  untraced: ReadonlySet<string>,
): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { url: route } = request.routeOptions
    if (route !== undefined && untraced.has(route)) return done()
    const span = traces.request(request.headers.traceparent, () => doingOf(request))
    if (!span) return done()
    request.span = span
    span.run(done)
  })
  server.addHook('onResponse', (request, reply, done) => {
    endSpan(request, reply.raw.statusCode)
    done()
  })
}

function doingOf({ method: asked, routeOptions: { url: route }, id }: FastifyRequest): Doing {
  const known = methodOf(asked)
  const method = known === 'other' ? '_OTHER' : known
  return {
    name: route === undefined ? method : `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      'docket.request_id': id,
    },
  }
}

/** Ends the span of a request, if it has one: of a stream, which may last for days, when it begins. */
export function endSpan({ span, actor }: FastifyRequest, status: number): void {
  if (!span) return
  span.set({
    'http.response.status_code': status,
    ...(actor && { 'docket.workspace_id': actor.workspace_id }),
    ...(actor?.credential_id && { 'docket.credential_id': actor.credential_id }),
  })
  span.end(status >= 500 ? String(status) : undefined)
}
