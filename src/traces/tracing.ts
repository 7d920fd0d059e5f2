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
import { Refusal } from '#core/refusal.ts'
import type { Attributes, Doing, RequestSpan, Span, Traces } from '#core/traces.ts'
import type { Causes } from './causes.ts'
import { remoteOf } from './context.ts'
import type { Sampling } from './sampling.ts'

interface Rules {
  causes: Causes
  takes: Sampling
  trustsClients: boolean
}

/** Spans of this process. What is under way is known by the asynchronous context, of sampled work only. */
export class Tracing implements Traces {
  readonly #contexts = new AsyncLocalStorageContextManager()
  readonly #tracer: Tracer
  readonly #rules: Rules

  constructor(tracer: Tracer, rules: Rules) {
    this.#tracer = tracer
    this.#rules = rules
  }

  /**
   * A client that is not trusted chooses neither the trace nor whether it is sampled: it could have all
   * of its requests sampled, or write into the traces of others. Its span is only linked.
   */
  request(traceparent: string | string[] | undefined, doing: () => Doing): RequestSpan | undefined {
    const { takes, trustsClients } = this.#rules
    const remote = traceparent === undefined ? undefined : remoteOf(traceparent)
    const parent = trustsClients ? remote : undefined
    if (!takes(parent)) return undefined
    const links = remote && !parent ? [{ context: remote }] : undefined
    const under = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    const span = this.#start(doing(), under, SpanKind.SERVER, links)
    const context = trace.setSpan(ROOT_CONTEXT, span)
    return Object.assign(spanOf(span), {
      run: <T>(work: () => T) => this.#contexts.with(context, work),
    })
  }

  within<T>(doing: Doing, work: (span?: Span) => T): T {
    const context = this.here()
    return context ? this.#during(doing, context, work) : work()
  }

  after<T>(doing: Doing, work: (span?: Span) => T): T {
    const context = this.#contexts.active()
    const isTaken = trace.getSpan(context) !== undefined || this.#rules.takes()
    return isTaken ? this.#during(doing, context, work) : work()
  }

  apart<T>(doing: Doing, work: (span?: Span) => T, operation_id?: string): T {
    const cause = operation_id === undefined ? undefined : this.#rules.causes.get(operation_id)
    if (cause) return this.#during(doing, trace.setSpanContext(ROOT_CONTEXT, cause), work)
    return this.#rules.takes() ? this.#during(doing, ROOT_CONTEXT, work) : work()
  }

  /** The context of what is under way here, if that is sampled and has not ended. */
  here(): Context | undefined {
    const context = this.#contexts.active()
    return trace.getSpan(context)?.isRecording() ? context : undefined
  }

  /** Begins a span below a context, for work that is not one call. */
  below(context: Context, doing: Doing): { span: Span; context: Context; self: SpanContext } {
    const begun = this.#start(doing, context, SpanKind.INTERNAL)
    const self = begun.spanContext()
    return { span: spanOf(begun), context: trace.setSpan(context, begun), self }
  }

  /** Does work of which no span is under way, though it was begun by something that has one. */
  outside<T>(work: () => T): T {
    return this.#contexts.with(ROOT_CONTEXT, work)
  }

  #during<T>(doing: Doing, parent: Context, work: (span?: Span) => T): T {
    const begun = this.#start(doing, parent, SpanKind.INTERNAL)
    const span = spanOf(begun)
    return ending(span, () => this.#contexts.with(trace.setSpan(parent, begun), () => work(span)))
  }

  #start({ name, attributes, isClient }: Doing, parent: Context, kind: SpanKind, links?: Link[]) {
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

/** Does work and ends its span with it, also when the work is a promise. */
export function ending<T>(span: Span, work: () => T): T {
  try {
    const result = work()
    if (!(result instanceof Promise)) {
      span.end()
      return result
    }
    result.then(
      () => span.end(),
      (error: unknown) => fail(span, error),
    )
    return result
  } catch (error) {
    fail(span, error)
    throw error
  }
}

/** What a caller may expect to be refused is no failure. Never a message: it may say what people wrote. */
export function fail(span: Span, error: unknown): void {
  if (error instanceof Refusal && error.status < 500) {
    span.set({ 'docket.refusal': error.code })
    span.end()
    return
  }
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  span.end(String(code ?? name ?? 'unknown'))
}

function spanOf(span: SdkSpan): Span {
  const { traceId: trace_id, spanId: span_id } = span.spanContext()
  return {
    trace_id,
    span_id,
    set(attributes: Attributes) {
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
