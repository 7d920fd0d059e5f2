import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Histogram } from 'prom-client'
import { figures } from './figures.ts'
import type { House } from './house.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Measures one reply: its method, the pattern of its route if there is one, its status, and how long it took. */
export type Measure = (
  method: string,
  route: string | undefined,
  status: number,
  ms: number,
) => void

/**
 * Measures every reply by route pattern and status, never by person or record, and counts what is being
 * served.
 */
export function measureRequests(server: FastifyInstance, { registry, load }: House): Measure {
  const durations = new Histogram({
    name: 'docket_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its reply',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  })
  const measure: Measure = (method, route = 'none', status, ms) =>
    durations.observe({ method: methodOf(method), route, status }, ms / 1_000)

  server.addHook('onRequest', (_request, reply, done) => {
    load.requests += 1
    reply.raw.once('close', () => {
      load.requests -= 1
      load.served += 1
    })
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    const ms = performance.now() - request.arrivedAt
    measure(request.method, request.routeOptions.url, reply.raw.statusCode, ms)
    done()
  })
  return measure
}

/** Gives the text for Prometheus: of requests, of the process, and all that others have registered. */
export function metrics(house: House) {
  const { registry } = house
  collectDefaultMetrics({ register: registry })
  figures(house)
  return async () => ({ body: await house.figures(), type: registry.contentType })
}

/** A client can make up methods without end, and each label is kept. */
export const methodOf = (method: string) =>
  ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PUT'].includes(method) ? method : 'other'
