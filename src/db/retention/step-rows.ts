import { type RawBuilder, sql } from 'kysely'
import { MAX_STEP_BYTES } from '#lib/batches.ts'
import { rulesOf, type Tables } from '../schema/tables.ts'

/**
 * Of the rows that a SELECT of `key` and `size` reads, the keys of the first ones, until they have the
 * bytes of a step. A row may be a megabyte, and deleting overwrites it, so a number of rows alone does not
 * bound how long a statement and its COMMIT take.
 */
export const keysOfStep = (rows: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select key from (
    select key, sum(size) over (order by key) - size as before from (${rows}) as sized
  ) as summed where before < ${sql.lit(MAX_STEP_BYTES)}`

/** The bytes of a column, whose content is not read for that. */
export const sizeOf = (column: string): RawBuilder<number> =>
  sql<number>`coalesce(octet_length(${sql.ref(column)}), 0)`

/** The bytes of the long texts of a row. */
export function sizeOfTexts(table: keyof Tables): RawBuilder<number> {
  const { texts = [] } = rulesOf(table)
  return sql<number>`(${sql.join([sql.lit(0), ...texts.map(sizeOf)], sql` + `)})`
}
