import type { Context } from '@opentelemetry/api'
import type { Span } from '#core/traces.ts'
import type { Command, Engine, Query } from '#core/tx.ts'
import { ending, type Tracing } from './tracing.ts'

/** A transaction of many statements shows the first; the others are only counted. */
const MOST_SHOWN = 50

type Statement = Query<unknown, unknown> | Command<unknown, unknown>

interface Told {
  name: string
  attributes: Record<string, string>
}

/** The statements of a transaction as spans below it. What is bound to them is never told. */
export class Statements {
  readonly #tracing: Tracing
  readonly #context: Context
  readonly #engine: Engine
  readonly #system: string
  #count = 0

  constructor(tracing: Tracing, context: Context, engine: Engine, system: string) {
    this.#tracing = tracing
    this.#context = context
    this.#engine = engine
    this.#system = system
  }

  during<T>(statement: Statement, work: () => Promise<T>, size?: number): Promise<T> {
    this.#count += 1
    if (this.#count > MOST_SHOWN) return work()
    const { name, attributes } = toldOf(statement, this.#engine, this.#system)
    const batch = size !== undefined && { 'db.operation.batch.size': size }
    const doing = { name, attributes: { ...attributes, ...batch }, isClient: true }
    return ending(this.#tracing.below(this.#context, doing).span, work)
  }

  /** Tells how many there were. */
  tell(span: Span): void {
    span.set({ 'docket.statements': this.#count })
  }
}

const told = new WeakMap<object, Told>()

/** What the statement does to which table first, and its text, which has places for values and none in them. */
function toldOf(statement: Statement, engine: Engine, system: string): Told {
  const known = told.get(statement)
  if (known) return known
  const { sql } = statement.text(engine)
  const [, verb = 'statement'] = /^\W*(\w+)/.exec(sql) ?? []
  const [, table = ''] = /\b(?:from|into|update)\s+["`](\w+)["`]/.exec(sql) ?? []
  const name = table === '' ? verb : `${verb} ${table}`
  const made = {
    name,
    attributes: {
      'db.system.name': system,
      'db.operation.name': verb,
      'db.query.summary': name,
      'db.query.text': sql,
      ...(table !== '' && { 'db.collection.name': table }),
    },
  }
  told.set(statement, made)
  return made
}
