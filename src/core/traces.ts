/** What a span tells beside its name and its times. Never a secret, nor what people have written. */
export type Attributes = Record<string, string | number | boolean>

/** A piece of work as a trace shows it. */
export interface Span {
  /** Hexadecimal, as W3C Trace Context has them. */
  readonly trace_id: string
  readonly span_id: string
  set(attributes: Attributes): void
  /** Ends it; a second time changes nothing. `error` is a word for why it failed. */
  end(error?: string): void
}

/** The span of a request: what is done in `run`, and by what that begins, is below it. */
export interface RequestSpan extends Span {
  run<T>(work: () => T): T
}

/** What is about to be done. */
export interface Doing {
  name: string
  attributes?: Attributes
  /** Another server does it. */
  isClient?: boolean
}

/** Where the traces of a process begin. What is not sampled costs a look, and its work is done plainly. */
export interface Traces {
  /** Undefined if it is not sampled. `traceparent` is the header as the client sent it. */
  request(traceparent: string | string[] | undefined, doing: () => Doing): RequestSpan | undefined
  /** Does work below what is under way, if that is traced and has not ended. */
  within<T>(doing: Doing, work: (span?: Span) => T): T
  /** Does work that outlives what has led to it: below that if it is traced, else as a trace of its own. */
  after<T>(doing: Doing, work: (span?: Span) => T): T
  /**
   * Does work as a trace of its own; below the write that made an operation, if that was traced and this
   * process remembers it.
   */
  apart<T>(doing: Doing, work: (span?: Span) => T, operation_id?: string): T
}

/** Where no traces are taken. */
export const UNTRACED: Traces = {
  request: () => undefined,
  within: (_doing, work) => work(),
  after: (_doing, work) => work(),
  apart: (_doing, work) => work(),
}
