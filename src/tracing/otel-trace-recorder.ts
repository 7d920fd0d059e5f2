import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { ApiError } from '#core/api-error.ts'
import type {
  RequestSpan,
  SpanAttributes,
  SpanOptions,
  TraceRecorder,
  TraceSpan,
} from '#core/trace-recorder.ts'
import type { OperationSpans } from './operation-spans.ts'
import type { TraceSampler } from './trace-sampler.ts'
import { parseTraceparent } from './traceparent.ts'

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
