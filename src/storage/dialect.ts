import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Engine } from '#core/tx.ts'
import type { Json } from '#lib/json.ts'

/**
 * How a field of a record is made: from the column of its name as it is, as a flag (0 and 1), as
 * JSON that the column holds as text, or by an expression.
 */
export type Source = 'plain' | 'flag' | 'json' | Expression<unknown>

/** The few things that the two engines write differently. */
export interface Dialect {
  engine: Engine
  /** A record as JSON text, written by the database: a third of the time of rows and JSON.stringify. */
  json<T>(table: string, fields: { [K in keyof T]-?: Source }): RawBuilder<Json<T>>
  /** Whether a column has one of the values of a list, which is bound as a JSON array. */
  among(column: string, list: unknown): RawBuilder<SqlBool>
  /** Whether a column of words (` one two`) holds each of a list as the beginning of one. */
  holdsWords(column: string, list: unknown): RawBuilder<SqlBool>
  /** Rows that hold every word searched for: the ids of their tasks. `search` is words by spaces. */
  tasksWithWords(table: string, workspace: unknown, search: unknown): RawBuilder<SqlBool>
}

export const dialects: Record<Engine, Dialect> = {
  sqlite: {
    engine: 'sqlite',
    json: (table, fields) => {
      const pairs = Object.entries<Source>(fields).flatMap(([name, source]) => {
        const column = sql.ref(`${table}.${name}`)
        if (source === 'plain') return [sql.lit(name), column]
        if (source === 'json') return [sql.lit(name), sql`json(${column})`]
        if (source === 'flag') {
          return [sql.lit(name), sql`json(case ${column} when 1 then 'true' else 'false' end)`]
        }
        return [sql.lit(name), source]
      })
      return sql`json_object(${sql.join(pairs)})`
    },
    among: (column, list) => sql`${sql.ref(column)} in (select value from json_each(${list}))`,
    holdsWords: (column, list) =>
      sql`json_array_length(${list}) > 0 and not exists (select 1 from json_each(${list}) as w
        where ${sql.ref(column)} not like '% ' || w.value || '%')`,
    tasksWithWords: (table, _, search) =>
      sql`${sql.ref(`${table}.search_id`)} in (select rowid from task_words
        where task_words match '"' || replace(${search}, ' ', '"* "') || '"*')`,
  },
  postgres: {
    engine: 'postgres',
    json: (table, fields) => {
      const columns = Object.entries<Source>(fields).map(([name, source]) => {
        const column = sql.ref(`${table}.${name}`)
        const made = {
          plain: () => column,
          json: () => sql`${column}::json`,
          flag: () => sql`${column} = 1`,
        }
        const value = typeof source === 'string' ? made[source]() : source
        return sql`${value} as ${sql.ref(name)}`
      })
      return sql`(select row_to_json(r)::text from (select ${sql.join(columns)}) r)`
    },
    among: (column, list) =>
      sql`${sql.ref(column)} = any(array(select json_array_elements_text(${list}::json)))`,
    holdsWords: (column, list) =>
      sql`json_array_length(${list}::json) > 0 and not exists (
        select 1 from json_array_elements_text(${list}::json) as w (value)
        where ${sql.ref(column)} not like '% ' || w.value || '%')`,
    tasksWithWords: (table, workspace, search) =>
      sql`${sql.ref(`${table}.id`)} in (select found.task_id from task_words as found
        where found.workspace_id = ${workspace} and found.words @@
          ('''' || replace(${search}, ' ', ''':* & ''') || ''':*')::tsquery)`,
  },
}
