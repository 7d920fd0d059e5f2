import { channel } from 'node:diagnostics_channel'
import {
  type Compilable,
  type InsertResult,
  Kysely,
  type KyselyPlugin,
  PostgresDialect,
  type RawBuilder,
  type Selectable,
  SqliteDialect,
} from 'kysely'
import type {
  CompiledStatement,
  DatabaseEngine,
  ImplicitParams,
  Query,
  WriteCommand,
} from '#core/transaction.ts'
import { TABLES, type Tables } from '../schema/tables.ts'
import { type Dialect, dialects } from './dialect.ts'
import { limitToWorkspace } from './limit-to-workspace.ts'
import { changesRecords, numberChanges } from './number-changes.ts'

export type StatementBuilder = Kysely<Tables>
/** The part of the builder that cannot change rows. */
export type QueryBuilder = Pick<
  StatementBuilder,
  'selectFrom' | 'selectNoFrom' | 'with' | 'withRecursive'
>

/** The parameters of a statement: its own, and those that the transaction provides. */
export type Scoped<P = unknown> = P & ImplicitParams

const IMPLICIT_PARAMS: Record<keyof ImplicitParams, true> = {
  workspace_id: true,
  viewer_id: true,
  viewer_sees_all: true,
  viewer_sees_open: true,
  base_url: true,
}

/** A named placeholder in a built statement, to which a value is bound at each run. */
export class Slot {
  readonly name: string
  /** Whether the transaction itself provides the value. */
  readonly isImplicit: boolean

  constructor(name: string) {
    this.name = name
    this.isImplicit = Object.hasOwn(IMPLICIT_PARAMS, name)
  }
}

/**
 * A statement's SQL is built when it first runs, and later only bound: building SQL for each request
 * would take longer than SQLite needs to run it, and building all of it would delay each start. `$` has
 * a slot for each value. All tables of a statement are limited to the workspace of the transaction
 * (`limitToWorkspace`); what it says in raw SQL must bind `$.workspace_id` itself. A statement that does
 * not bind the workspace throws when it is built, which test/storage/distribution.test.ts does with every
 * one.
 */
export const query = <P, R>(
  build: (db: QueryBuilder, $: P, dialect: Dialect) => Compilable<R>,
): Query<P, R> => ({ kind: 'query', text: createText(build, queryBuilders) }) as const

/** Also numbers the records that it changes (`numberChanges`). */
export const command = <P, R>(
  build: (db: StatementBuilder, $: P, dialect: Dialect) => Compilable<R>,
): WriteCommand<P, R> => ({ kind: 'command', text: createText(build, commandBuilders) }) as const

/**
 * For statements that run before the workspace is known, or concern the whole installation. They name
 * the workspace themselves where they mean one.
 */
export const unscopedQuery = <P, R>(
  build: (db: QueryBuilder, $: P, dialect: Dialect) => Compilable<R>,
): Query<P, R> => ({ kind: 'query', text: createText(build, unscopedBuilders, true) }) as const

export const unscopedCommand = <P, R>(
  build: (db: StatementBuilder, $: P, dialect: Dialect) => Compilable<R>,
): WriteCommand<P, R> =>
  ({ kind: 'command', text: createText(build, unscopedBuilders, true) }) as const

/** Limits the cache of one statement's shapes, because clients can request any number of them. */
const MAX_SHAPES = 500

/** A statement whose SQL depends on its shape (filters and order), built once for each shape. */
export function memoizeByShape<S, Q>(build: (shape: S) => Q): (shape: S) => Q {
  const statements = new Map<string, Q>()
  return (shape) => {
    const name = JSON.stringify(shape)
    const cached = statements.get(name)
    if (cached) return cached
    if (statements.size >= MAX_SHAPES) statements.clear()
    const statement = build(shape)
    statements.set(name, statement)
    return statement
  }
}

/** A statement written as raw SQL. */
export const rawStatement = <R>(db: unknown, statement: RawBuilder<R>): Compilable<R> => ({
  compile: () => statement.compile(db as StatementBuilder),
})

/** Picks the slots of the given columns for an insert or update, such as `row($, 'id', 'name')`. */
export const pickSlots = <P, K extends keyof P>($: P, ...columns: K[]): Pick<P, K> =>
  Object.fromEntries(columns.map((column) => [column, $[column]])) as Pick<P, K>

/** A command that inserts a row into a table of the workspace, with values of the given columns. */
export const insertRow = <T extends WorkspaceTable, C extends keyof Selectable<Tables[T]> & string>(
  table: T,
  ...columns: C[]
): WriteCommand<Scoped<Pick<Selectable<Tables[T]>, C>>, InsertResult> =>
  command((db, $: Scoped<Pick<Selectable<Tables[T]>, C>>) => {
    const row = { workspace_id: $.workspace_id, ...pickSlots($, ...columns) }
    // The checker does not know the columns of a table that is a parameter.
    return db.insertInto(table).values(row as never)
  })

type WorkspaceTable = {
  [T in keyof Tables]: 'workspace_id' extends keyof Tables[T] ? T : never
}[keyof Tables]

type StatementText = Query<unknown, unknown>['text']

/** Message on the diagnostics channel `docket:statement`, published for every statement. */
export interface DeclaredStatement {
  text: StatementText
  isUnscoped: boolean
}

const declarations = channel('docket:statement')

/** The trash takes what is deleted. */
const TRASH: readonly string[] = ['deleted_comments', 'trash']

const ADDS_TEXTS = new RegExp(
  `^insert into "(${TABLES.flatMap(([table, { counted }]) =>
    counted === 'record' && !TRASH.includes(table) ? [table] : [],
  ).join('|')})"`,
)

function createText<P>(
  build: (db: StatementBuilder, $: P, dialect: Dialect) => Compilable,
  builders: Record<DatabaseEngine, StatementBuilder>,
  isUnscoped = false,
): StatementText {
  const $ = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as P
  const cache = new Map<DatabaseEngine, CompiledStatement>()
  const text: StatementText = (engine) => {
    const cached = cache.get(engine)
    if (cached) return cached
    const { sql, parameters } = build(builders[engine], $, dialects[engine]).compile()
    if (!isUnscoped) assertScoped(sql, parameters)
    const built = {
      sql: engine === 'sqlite' ? sql.replaceAll(BARE_LIMIT, '$& + 0') : sql,
      values: parameters,
      changesRecords: !isUnscoped && changesRecords(sql),
      addsTexts: ADDS_TEXTS.test(sql),
    }
    cache.set(engine, built)
    return built
  }
  if (declarations.hasSubscribers)
    declarations.publish({ text, isUnscoped } satisfies DeclaredStatement)
  return text
}

/**
 * SQLite plans by the value of a bare `limit ?`, so it prepares the statement again at each run (50 µs
 * for a list of tasks). It does not inspect the value of an expression.
 */
const BARE_LIMIT = /\blimit \?/g

function assertScoped(sql: string, values: readonly unknown[]): void {
  if (values.some((value) => value instanceof Slot && value.name === 'workspace_id')) return
  throw new Error(`This statement names no workspace: ${sql}`)
}

/** These only build SQL and never run it, so they need no database. */
const createBuilders = (...plugins: KyselyPlugin[]): Record<DatabaseEngine, StatementBuilder> => ({
  sqlite: new Kysely({ dialect: new SqliteDialect({ database: undefined as never }), plugins }),
  postgres: new Kysely({ dialect: new PostgresDialect({ pool: undefined as never }), plugins }),
})

const WORKSPACE = new Slot('workspace_id')
const unscopedBuilders = createBuilders()
const queryBuilders = createBuilders(limitToWorkspace(WORKSPACE))
const commandBuilders = createBuilders(numberChanges(WORKSPACE), limitToWorkspace(WORKSPACE))
