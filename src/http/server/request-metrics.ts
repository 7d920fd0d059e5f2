import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client'
import type { AppContext } from '../app-context.ts'
import { registerProcessMetrics } from './process-metrics.ts'

const DURATION_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
]

/** Records one reply; `route` is the pattern, undefined where no route matched. */
export type RequestRecorder = (
  method: string,
  route: string | undefined,
  status: number,
  ms: number,
) => void

/** Records the duration of every reply by route pattern and status, never by person or record. */
export function createRequestRecorder({ registry }: Pick<AppContext, 'registry'>): RequestRecorder {
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
export function createMetricsReader(context: AppContext) {
  registerProcessMetrics(context)
  return async () => ({ body: await context.renderMetrics(), type: context.registry.contentType })
}

/** A client could invent any number of methods, and each label value stays in memory. */
export const normalizeMethod = (method: string) =>
  ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PUT'].includes(method) ? method : 'other'
