import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Histogram } from 'prom-client'
import { figures } from './figures.ts'
import type { House } from './house.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * Measures every reply by route pattern and status, never by person or record, and counts what is being
 * served. Gives the text for Prometheus, with all that others have registered.
 */
export function metrics(server: FastifyInstance, house: House) {
  const { registry, load } = house
  collectDefaultMetrics({ register: registry })
  figures(house)
  const durations = new Histogram({
    name: 'docket_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its reply',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  })
  server.addHook('onRequest', (_request, reply, done) => {
    load.requests += 1
    reply.raw.once('close', () => {
      load.requests -= 1
      load.served += 1
    })
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    if (request.handed) return done()
    const route = request.routeOptions.url ?? 'none'
    const seconds = (performance.now() - request.arrivedAt) / 1000
    durations.observe(
      { method: methodOf(request.method), route, status: reply.raw.statusCode },
      seconds,
    )
    done()
  })
  return async () => ({ body: await house.figures(), type: registry.contentType })
}

/** A client can make up methods without end, and each label is kept. */
export const methodOf = (method: string) =>
  ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PUT'].includes(method) ? method : 'other'
