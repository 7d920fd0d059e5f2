import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  SamplingDecision,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import { ApiError } from '#core/api-error.ts'
import type {
  RequestSpan,
  SpanAttributes,
  SpanOptions,
  TraceRecorder,
  TraceSpan,
} from '#core/trace-recorder.ts'
import type { OperationSpans } from './traced-storage.ts'

const ALL_ZEROS = /^0+$/

/**
 * Parses the span of a client from its `traceparent` header (W3C Trace Context); undefined if it is
 * invalid or was sent more than once. Later versions may append fields after a dash.
 */
export function parseTraceparent(header: string | string[] | undefined): SpanContext | undefined {
  if (typeof header !== 'string') return undefined
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header)
  const [, version = 'ff', traceId = '', spanId = '', flags = '', extra] = match ?? []
  if (version === 'ff' || (version === '00' && extra !== undefined)) return undefined
  if (ALL_ZEROS.test(traceId) || ALL_ZEROS.test(spanId)) return undefined
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return { traceId, spanId, traceFlags, isRemote: true }
}

/** Decides whether to sample a trace; `parent` is set if the trace continues one of a client. */
type TraceSampler = (parent?: SpanContext) => boolean

/**
 * Creates one of the standard samplers. New traces are sampled before their ids and attributes are
 * created; the SDK would create those of a hundred traces to keep one.
 */
export function createTraceSampler({ name, ratio }: { name: string; ratio: number }): TraceSampler {
  const [, isParentBased, rootSampler = ''] = /^(parentbased_)?(.*)$/.exec(name) ?? []
  const share = { always_on: 1, always_off: 0 }[rootSampler] ?? ratio
  const byId = new TraceIdRatioBasedSampler(share)
  return (parent) => {
    if (!parent) return Math.random() < share
    if (isParentBased) return (parent.traceFlags & TraceFlags.SAMPLED) !== 0
    // All services that sample by trace id make the same decision.
    const { decision } = byId.shouldSample(ROOT_CONTEXT, parent.traceId)
    return decision === SamplingDecision.RECORD_AND_SAMPLED
  }
}

/** Spans queued for the collector: a few megabytes. */
const MAX_QUEUED_SPANS = 4_096
const MAX_BATCH_SIZE = 512
const EXPORT_INTERVAL_MS = 2_000

/** The numbers of spans by outcome so far. */
export interface SpanOutcomes {
  sent: number
  /** Rejected by the collector, or it did not answer. */
  failed: number
  /** Dropped because the queue was full. */
  dropped: number
}

/** Called when the collector stops accepting spans, and when it accepts them again. */
interface CollectorHealthListener {
  onLost(error: unknown): void
  onRecovered(): void
}

/**
 * Exports ended spans in batches, one at a time, and drops spans while the queue is full. The batch
 * processor of the SDK has the same limit, but does not report how many it drops.
 */
export function createSpanQueue(
  exporter: SpanExporter,
  { onLost, onRecovered }: CollectorHealthListener,
) {
  const outcomes: SpanOutcomes = { sent: 0, failed: 0, dropped: 0 }
  let queued = 0
  let isLost = false

  const countingExporter: SpanExporter = {
    export(spans, onResult) {
      queued -= spans.length
      exporter.export(spans, (result) => {
        const failed = result.code !== 0
        outcomes[failed ? 'failed' : 'sent'] += spans.length
        if (failed && !isLost) onLost(result.error)
        if (!failed && isLost) onRecovered()
        isLost = failed
        onResult(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
  const batches = new BatchSpanProcessor({
    exporter: countingExporter,
    maxQueueSize: MAX_QUEUED_SPANS,
    maxExportBatchSize: MAX_BATCH_SIZE,
    scheduledDelayMillis: EXPORT_INTERVAL_MS,
  })
  const processor: SpanProcessor = {
    onStart: () => {},
    onEnd(span: ReadableSpan) {
      if (queued >= MAX_QUEUED_SPANS) {
        outcomes.dropped += 1
        return
      }
      queued += 1
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }
  return { processor, outcomes }
}

interface OtelTraceOptions {
  operationSpans: OperationSpans
  shouldSample: TraceSampler
  trustsClients: boolean
}

/** Records the spans of this process. Only sampled work has an asynchronous context. */
export class OtelTraceRecorder implements TraceRecorder {
  readonly #contexts = new AsyncLocalStorageContextManager()
  readonly #tracer: Tracer
  readonly #options: OtelTraceOptions

  constructor(tracer: Tracer, options: OtelTraceOptions) {
    this.#tracer = tracer
    this.#options = options
  }

  /**
   * An untrusted client can choose neither the trace nor whether it is sampled: it could get all of
   * its requests sampled, or write into the traces of others. Its span is only linked.
   */
  startRequestSpan(
    traceparent: string | string[] | undefined,
    describeSpan: () => SpanOptions,
  ): RequestSpan | undefined {
    const { shouldSample, trustsClients } = this.#options
    const remote = traceparent === undefined ? undefined : parseTraceparent(traceparent)
    const parent = trustsClients ? remote : undefined
    if (!shouldSample(parent)) return undefined
    const links = remote && !parent ? [{ context: remote }] : undefined
    const parentContext = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    const span = this.#start(describeSpan(), parentContext, SpanKind.SERVER, links)
    const context = trace.setSpan(ROOT_CONTEXT, span)
    return Object.assign(toTraceSpan(span), {
      run: <T>(work: () => T) => this.#contexts.with(context, work),
    })
  }

  runInChildSpan<T>(options: SpanOptions, work: (span?: TraceSpan) => T): T {
    const context = this.activeContext()
    return context ? this.#runInSpan(options, context, work) : work()
  }

  runInDetachedSpan<T>(options: SpanOptions, work: (span?: TraceSpan) => T): T {
    const context = this.#contexts.active()
    const isSampled = trace.getSpan(context) !== undefined || this.#options.shouldSample()
    return isSampled ? this.#runInSpan(options, context, work) : work()
  }

  runInNewTrace<T>(options: SpanOptions, work: (span?: TraceSpan) => T, operation_id?: string): T {
    const cause =
      operation_id === undefined ? undefined : this.#options.operationSpans.get(operation_id)
    if (cause) return this.#runInSpan(options, trace.setSpanContext(ROOT_CONTEXT, cause), work)
    return this.#options.shouldSample() ? this.#runInSpan(options, ROOT_CONTEXT, work) : work()
  }

  /** The context of the current span, if there is one that has not ended. */
  activeContext(): Context | undefined {
    const context = this.#contexts.active()
    return trace.getSpan(context)?.isRecording() ? context : undefined
  }

  /** Starts a child span for work that is not a single function call. */
  startChildSpan(
    context: Context,
    options: SpanOptions,
  ): { span: TraceSpan; context: Context; self: SpanContext } {
    const sdkSpan = this.#start(options, context, SpanKind.INTERNAL)
    const self = sdkSpan.spanContext()
    return { span: toTraceSpan(sdkSpan), context: trace.setSpan(context, sdkSpan), self }
  }

  /** Runs work without a current span, although its caller has one. */
  runOutsideSpan<T>(work: () => T): T {
    return this.#contexts.with(ROOT_CONTEXT, work)
  }

  #runInSpan<T>(options: SpanOptions, parent: Context, work: (span?: TraceSpan) => T): T {
    const sdkSpan = this.#start(options, parent, SpanKind.INTERNAL)
    const span = toTraceSpan(sdkSpan)
    return runAndEndSpan(span, () =>
      this.#contexts.with(trace.setSpan(parent, sdkSpan), () => work(span)),
    )
  }

  #start(
    { name, attributes, isClient }: SpanOptions,
    parent: Context,
    kind: SpanKind,
    links?: Link[],
  ) {
    return this.#tracer.startSpan(
      name,
      {
        kind: isClient ? SpanKind.CLIENT : kind,
        ...(attributes && { attributes }),
        ...(links && { links }),
      },
      parent,
    )
  }
}

/** Runs work and ends its span afterwards; for a promise, when it settles. */
export function runAndEndSpan<T>(span: TraceSpan, work: () => T): T {
  try {
    const result = work()
    if (!(result instanceof Promise)) {
      span.end()
      return result
    }
    result.then(
      () => span.end(),
      (error: unknown) => endSpanWithError(span, error),
    )
    return result
  } catch (error) {
    endSpanWithError(span, error)
    throw error
  }
}

/**
 * Ends a span with an error. Errors below 500 are no failures. Omits messages: they may quote
 * users.
 */
export function endSpanWithError(span: TraceSpan, error: unknown): void {
  if (error instanceof ApiError && error.status < 500) {
    span.set({ 'docket.refusal': error.code })
    span.end()
    return
  }
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  span.end(String(code ?? name ?? 'unknown'))
}

function toTraceSpan(span: SdkSpan): TraceSpan {
  const { traceId: trace_id, spanId: span_id } = span.spanContext()
  return {
    trace_id,
    span_id,
    set(attributes: SpanAttributes) {
      if (span.isRecording()) span.setAttributes(attributes)
    },
    end(error) {
      if (!span.isRecording()) return
      if (error !== undefined) {
        span.setAttribute('error.type', error)
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}
