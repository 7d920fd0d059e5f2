import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { Counter, type Registry } from 'prom-client'
import type { TraceRecorder } from '#core/trace-recorder.ts'
import type { Storage } from '#core/transaction.ts'
import {
  createSpanQueue,
  createTraceSampler,
  OtelTraceRecorder,
  type SpanOutcomes,
} from './otel-trace-recorder.ts'
import { createTracedStorage, OperationSpans } from './traced-storage.ts'

/** Settings of the exporter and of sampling. */
export interface TracingSettings {
  /** The full URL to which spans are posted. */
  url: string
  /** Headers for the collector. They contain its credentials. */
  headers: Record<string, string>
  service: string
  /** Further resource attributes of this process. */
  attributes: Record<string, string>
  /** The standard name of the sampler, and its ratio if it has one. */
  sampler: { name: string; ratio: number }
  /** Whether to continue the `traceparent` of clients and accept their sampling decision. */
  trustsClients: boolean
}

/** The tracing of a process. */
export interface ProcessTracing extends TraceRecorder {
  /** Wraps a storage so that its transactions and statements are traced. */
  traceStorage(storage: Storage): Storage
  registerMetrics(registry: Registry): void
  /** Sends queued spans for up to two seconds; the rest is lost. */
  close(): Promise<void>
}

interface TracingLog {
  warn(about: object, message: string): void
  info(about: object, message: string): void
}

/** A collector that does not answer must not delay the shutdown. */
const CLOSE_TIMEOUT_MS = 2_000
/** Longer values are cut, such as the text of long statements. */
const MAX_ATTRIBUTE_LENGTH = 1_000

/** Starts the export of spans to a collector by OTLP over HTTP. No request ever waits for it. */
export function startTracing(
  settings: TracingSettings,
  version: string,
  log: TracingLog,
): ProcessTracing {
  const exporter = new OTLPTraceExporter({ url: settings.url, headers: settings.headers })
  const { processor, outcomes } = createSpanQueue(exporter, {
    onLost: (error) => log.warn(toErrorCode(error), 'Failed to send traces to the collector'),
    onRecovered: () => log.info({}, 'The trace collector accepts traces again'),
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
    // Sampling has been decided before a span is created.
    sampler: new AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    spanProcessors: [processor],
  })
  const operationSpans = new OperationSpans()
  const tracing = new OtelTraceRecorder(provider.getTracer('docket', version), {
    operationSpans,
    shouldSample: createTraceSampler(settings.sampler),
    trustsClients: settings.trustsClients,
  })
  return {
    startRequestSpan: (traceparent, describeSpan) =>
      tracing.startRequestSpan(traceparent, describeSpan),
    runInChildSpan: (span, work) => tracing.runInChildSpan(span, work),
    runInDetachedSpan: (span, work) => tracing.runInDetachedSpan(span, work),
    runInNewTrace: (span, work, operation_id) => tracing.runInNewTrace(span, work, operation_id),
    traceStorage: (storage) => createTracedStorage(storage, tracing, operationSpans),
    registerMetrics: (registry) => registerMetrics(registry, outcomes),
    async close() {
      // Failed exports are counted and logged as usual.
      const closed = provider.shutdown().catch(() => {})
      await Promise.race([closed, pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
    },
  }
}

/** Omits the message of the error, which may contain a URL with a credential. */
function toErrorCode(error: unknown): { code: string } {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  return { code: String(code ?? name ?? 'unknown') }
}

function registerMetrics(registry: Registry, outcomes: SpanOutcomes): void {
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
