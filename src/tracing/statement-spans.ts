import type { Context } from '@opentelemetry/api'
import type { TraceSpan } from '#core/trace-recorder.ts'
import type { DatabaseEngine, Query, WriteCommand } from '#core/transaction.ts'
import { type OtelTraceRecorder, runAndEndSpan } from './otel-trace-recorder.ts'

/** The statements of a transaction with a span of their own; further ones are only counted. */
const MAX_STATEMENT_SPANS = 50

type AnyStatement = Query<unknown, unknown> | WriteCommand<unknown, unknown>

interface StatementDescription {
  name: string
  attributes: Record<string, string>
}

/** Creates a child span for each statement of a transaction. Bound values are never recorded. */
export class StatementSpans {
  readonly #tracing: OtelTraceRecorder
  readonly #context: Context
  readonly #engine: DatabaseEngine
  readonly #system: string
  #count = 0

  constructor(
    tracing: OtelTraceRecorder,
    context: Context,
    engine: DatabaseEngine,
    system: string,
  ) {
    this.#tracing = tracing
    this.#context = context
    this.#engine = engine
    this.#system = system
  }

  runStatement<T>(statement: AnyStatement, work: () => Promise<T>, size?: number): Promise<T> {
    this.#count += 1
    if (this.#count > MAX_STATEMENT_SPANS) return work()
    const { name, attributes } = describeStatement(statement, this.#engine, this.#system)
    const batch = size !== undefined && { 'db.operation.batch.size': size }
    const options = { name, attributes: { ...attributes, ...batch }, isClient: true }
    return runAndEndSpan(this.#tracing.startChildSpan(this.#context, options).span, work)
  }

  /** Records the number of statements on the span of the transaction. */
  reportCount(span: TraceSpan): void {
    span.set({ 'docket.statements': this.#count })
  }
}

const descriptions = new WeakMap<object, StatementDescription>()

/** Verb, first table and text of a statement. The text has placeholders instead of values. */
function describeStatement(
  statement: AnyStatement,
  engine: DatabaseEngine,
  system: string,
): StatementDescription {
  const cached = descriptions.get(statement)
  if (cached) return cached
  const { sql } = statement.text(engine)
  const [, verb = 'statement'] = /^\W*(\w+)/.exec(sql) ?? []
  const [, table = ''] = /\b(?:from|into|update)\s+["`](\w+)["`]/.exec(sql) ?? []
  const name = table === '' ? verb : `${verb} ${table}`
  const description = {
    name,
    attributes: {
      'db.system.name': system,
      'db.operation.name': verb,
      'db.query.summary': name,
      'db.query.text': sql,
      ...(table !== '' && { 'db.collection.name': table }),
    },
  }
  descriptions.set(statement, description)
  return description
}
