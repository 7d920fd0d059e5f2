import { channel } from 'node:diagnostics_channel'
import { type Compilable, Kysely, PostgresDialect, type RawBuilder, SqliteDialect } from 'kysely'
import type { Command, Engine, Given, Query } from '#core/tx.ts'
import { type Dialect, dialects } from './dialect.ts'
import type { Tables } from './tables.ts'

export type Builder = Kysely<Tables>
/** What a query may begin with: nothing that changes rows. */
export type Reader = Pick<Builder, 'selectFrom' | 'selectNoFrom' | 'with' | 'withRecursive'>

/** Values that a statement takes: its own, and those that the transaction fills in. */
export type Scoped<P = unknown> = P & Given

const GIVEN: Record<keyof Given, true> = {
  workspace_id: true,
  viewer_id: true,
  viewer_sees_all: true,
  viewer_is_member: true,
  base_url: true,
}

/** Stands in a built statement where a value will be bound. */
export class Slot {
  readonly name: string
  /** Whether the transaction itself fills it in. */
  readonly isGiven: boolean

  constructor(name: string) {
    this.name = name
    this.isGiven = Object.hasOwn(GIVEN, name)
  }
}

/**
 * Statements are built once, when the program loads, and only bound afterwards: building SQL for
 * each request would cost more than SQLite needs to answer it. `$` has a slot for each value. A
 * statement that forgets its workspace does not load.
 */
export const query = <P, R>(
  build: (db: Reader, $: P, dialect: Dialect) => Compilable<R>,
): Query<P, R> => ({ kind: 'query', text: withinWorkspace(texts(build, false)) }) as const

export const command = <P, R>(
  build: (db: Builder, $: P, dialect: Dialect) => Compilable<R>,
): Command<P, R> => ({ kind: 'command', text: withinWorkspace(texts(build, false)) }) as const

/** For what comes before the workspace is known, or is of the whole installation. */
export const queryOfAll = <P, R>(
  build: (db: Reader, $: P, dialect: Dialect) => Compilable<R>,
): Query<P, R> => ({ kind: 'query', text: texts(build, true) }) as const

export const commandOfAll = <P, R>(
  build: (db: Builder, $: P, dialect: Dialect) => Compilable<R>,
): Command<P, R> => ({ kind: 'command', text: texts(build, true) }) as const

/** How many shapes of one statement are kept built; a client can ask for any number of them. */
const MOST_SHAPES = 500

/** A statement whose SQL depends on its shape (which filters, which order): built once for each. */
export function shaped<S, Q>(build: (shape: S) => Q): (shape: S) => Q {
  const made = new Map<string, Q>()
  return (shape) => {
    const name = JSON.stringify(shape)
    const known = made.get(name)
    if (known) return known
    if (made.size >= MOST_SHAPES) made.clear()
    const statement = build(shape)
    made.set(name, statement)
    return statement
  }
}

/** A statement that is written out. */
export const compiled = <R>(db: unknown, statement: RawBuilder<R>): Compilable<R> => ({
  compile: () => statement.compile(db as Builder),
})

/** The slots of a row to insert or change: `values(row($, 'id', 'name'))`. */
export const row = <P, K extends keyof P>($: P, ...columns: K[]): Pick<P, K> =>
  Object.fromEntries(columns.map((column) => [column, $[column]])) as Pick<P, K>

type Texts = Query<unknown, unknown>['text']

/** What the channel `docket:statement` tells of a statement when it is built, to whoever looks at all. */
export interface Built {
  text: Texts
  isOfAll: boolean
}

const built = channel('docket:statement')

function texts<P>(
  build: (db: Builder, $: P, dialect: Dialect) => Compilable,
  isOfAll: boolean,
): Texts {
  const $ = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as P
  const made = new Map<Engine, ReturnType<Texts>>()
  const text: Texts = (engine) => {
    let found = made.get(engine)
    if (!found) {
      const { sql, parameters } = build(builders[engine], $, dialects[engine]).compile()
      found = {
        sql: engine === 'sqlite' ? sql.replaceAll(LIMIT, '$& + 0') : sql,
        values: parameters,
      }
      made.set(engine, found)
    }
    return found
  }
  if (built.hasSubscribers) built.publish({ text, isOfAll } satisfies Built)
  return text
}

/**
 * SQLite plans by the value of a bare `limit ?`, and so prepares the whole statement anew at each
 * run: 50 µs for a list of tasks. Of an expression it does not know the value.
 */
const LIMIT = /\blimit \?/g

function withinWorkspace(text: Texts): Texts {
  const { sql, values } = text('sqlite')
  if (!values.some((value) => value instanceof Slot && value.name === 'workspace_id')) {
    throw new Error(`This statement names no workspace: ${sql}`)
  }
  return text
}

/** They only build SQL. Nothing is ever run through them, and so they have no database. */
const builders: Record<Engine, Builder> = {
  sqlite: new Kysely({ dialect: new SqliteDialect({ database: undefined as never }) }),
  postgres: new Kysely({ dialect: new PostgresDialect({ pool: undefined as never }) }),
}
