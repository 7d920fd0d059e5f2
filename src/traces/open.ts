import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { Counter, type Registry } from 'prom-client'
import type { Traces } from '#core/traces.ts'
import type { Storage } from '#core/tx.ts'
import { Causes } from './causes.ts'
import { boundedQueue, type Outcomes } from './queue.ts'
import { samplingBy } from './sampling.ts'
import { tracedStorage } from './storage.ts'
import { Tracing } from './tracing.ts'

/** Where traces go, and which are taken. */
export interface TraceSettings {
  /** The whole address that spans are posted to. */
  url: string
  /** For the collector: they hold its credentials. */
  headers: Record<string, string>
  service: string
  /** What else is told of this process. */
  attributes: Record<string, string>
  /** By its standard name, and its share of the traces if it goes by one. */
  sampler: { name: string; ratio: number }
  /** Whether a client's `traceparent` is continued, and its sampling believed. */
  trustsClients: boolean
}

/** Traces of a process, and what belongs to them. */
export interface OpenTraces extends Traces {
  /** The same store, of which transactions and their statements are traced. */
  traced(storage: Storage): Storage
  register(registry: Registry): void
  /** Sends what is still waiting, for a moment; the rest is lost. */
  close(): Promise<void>
}

interface Log {
  warn(about: object, message: string): void
  info(about: object, message: string): void
}

/** A collector that does not answer must not hold up a stop. */
const CLOSING_MS = 2_000
/** Longer values say nothing more: of statements the beginning is told. */
const MOST_LENGTH = 1_000

/** Opens the way for spans to a collector, by OTLP over HTTP. Nothing ever waits for it. */
export function openTraces(settings: TraceSettings, version: string, log: Log): OpenTraces {
  const exporter = new OTLPTraceExporter({ url: settings.url, headers: settings.headers })
  const { processor, outcomes } = boundedQueue(exporter, {
    lost: (error) => log.warn(failureOf(error), 'The collector of traces does not take them'),
    found: () => log.info({}, 'The collector of traces takes them again'),
  })
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.version': version,
        'service.instance.id': randomUUID(),
        'process.pid': process.pid,
        ...settings.attributes,
        'service.name': settings.service,
      }),
    ),
    // Which traces are taken is decided before.
    sampler: new AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: MOST_LENGTH },
    spanProcessors: [processor],
  })
  const causes = new Causes()
  const tracing = new Tracing(provider.getTracer('docket', version), {
    causes,
    takes: samplingBy(settings.sampler),
    trustsClients: settings.trustsClients,
  })
  return {
    request: (traceparent, doing) => tracing.request(traceparent, doing),
    within: (doing, work) => tracing.within(doing, work),
    after: (doing, work) => tracing.after(doing, work),
    apart: (doing, work, operation_id) => tracing.apart(doing, work, operation_id),
    traced: (storage) => tracedStorage(storage, tracing, causes),
    register: (registry) => figures(registry, outcomes),
    async close() {
      // What was not taken is counted and logged as at any other time.
      const closed = provider.shutdown().catch(() => {})
      await Promise.race([closed, pause(CLOSING_MS, undefined, { ref: false })])
    },
  }
}

/** Never its message: it may tell an address with a credential in it. */
function failureOf(error: unknown): { code: string } {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  return { code: String(code ?? name ?? 'unknown') }
}

function figures(registry: Registry, outcomes: Outcomes): void {
  new Counter({
    name: 'docket_trace_spans_total',
    help: 'Ended spans by what became of them: sent, failed (not taken by the collector), dropped (no room)',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(outcomes)) this.inc({ outcome }, count)
    },
  })
}
