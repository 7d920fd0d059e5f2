/** Attributes of a span. Never secrets, and never text that users wrote. */
export type SpanAttributes = Record<string, string | number | boolean>

/** A unit of work in a trace. */
export interface TraceSpan {
  /** Both ids in hexadecimal, as in W3C Trace Context. */
  readonly trace_id: string
  readonly span_id: string
  set(attributes: SpanAttributes): void
  /** Ends the span; further calls have no effect. `error` is a short code of the failure. */
  end(error?: string): void
}

/** The span of a request. All work started in `run` becomes its descendant. */
export interface RequestSpan extends TraceSpan {
  run<T>(work: () => T): T
}

/** Describes a span to start. */
export interface SpanOptions {
  name: string
  attributes?: SpanAttributes
  /** True for a call to another server. */
  isClient?: boolean
}

/**
 * Records the traces of a process. Work that is not sampled runs without any overhead but a check.
 */
export interface TraceRecorder {
  /**
   * Starts the span of a request; undefined if it is not sampled. `traceparent` is the raw header.
   */
  startRequestSpan(
    traceparent: string | string[] | undefined,
    describeSpan: () => SpanOptions,
  ): RequestSpan | undefined
  /** Runs work in a child of the current span, if there is one that has not ended. */
  runInChildSpan<T>(span: SpanOptions, work: (span?: TraceSpan) => T): T
  /**
   * Runs work that may outlive the current span: in a child of it, or else in a trace of its own.
   */
  runInDetachedSpan<T>(span: SpanOptions, work: (span?: TraceSpan) => T): T
  /**
   * Runs work in a trace of its own, or in the trace of the write that caused `operation_id`, if
   * that was traced and this process still remembers it.
   */
  runInNewTrace<T>(span: SpanOptions, work: (span?: TraceSpan) => T, operation_id?: string): T
}

/** Records nothing. */
export const NOOP_TRACE_RECORDER: TraceRecorder = {
  startRequestSpan: () => undefined,
  runInChildSpan: (_span, work) => work(),
  runInDetachedSpan: (_span, work) => work(),
  runInNewTrace: (_span, work) => work(),
}
