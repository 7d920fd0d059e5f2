import { type Expression, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { PageRequest } from '#core/page-request.ts'
import type { Scoped } from './statement.ts'

/** The order of a list without bound values; it determines the SQL of the statement. */
export interface ListOrder {
  /** The sort column, such as `tags.name_key`; null to sort by id. */
  column: string | null
  descending: boolean
  /** Whether the page begins after a cursor. */
  continued: boolean
  /** Whether to sort few selected rows instead of reading an index in this order. */
  sorted?: boolean
  /** The number of rows, if it is part of the statement (see `fixLimit`). */
  limit?: number
}

/** Values that a page binds besides those of the filters. */
export interface PageWindow {
  after_key: string | number
  after_id: string
  limit: number
}

export const toListOrder = (
  { descending, after }: PageRequest,
  column: string | null,
): ListOrder => ({
  column,
  descending,
  continued: after !== undefined,
})

/**
 * The sizes of most pages, and one row more; 100 rows are the second slice of a page of 200. Each has a
 * statement of its own.
 */
const FIXED_LIMITS: readonly number[] = [51, 100, 101]

/**
 * Makes the number of rows a part of the statement, for a list without filters. PostgreSQL plans a
 * statement whose limit is bound anew at each run, since a plan for all limits would have to expect a
 * tenth of the rows. That takes as long as reading 50 tasks, and the plan is always the same. With
 * filters it depends on their values.
 */
export const fixLimit = (order: ListOrder, { limit }: PageRequest): ListOrder =>
  FIXED_LIMITS.includes(limit) ? { ...order, limit } : order

export const toPageWindow = ({ after, limit }: PageRequest): PageWindow => ({
  after_key: after?.[0] ?? '',
  after_id: after?.[1] ?? '',
  limit,
})

/**
 * Orders a selection and limits it to the page after a cursor; never uses an offset. Ties are broken by
 * id in the same direction, so that the order is total (docs/spec/api.md#sorting-and-filters).
 */
export function paginate<DB, T extends keyof DB, O>(
  selection: SelectQueryBuilder<DB, T, O>,
  $: Scoped<PageWindow>,
  id: string,
  { column, descending, continued, sorted, limit }: ListOrder,
): SelectQueryBuilder<DB, T, O> {
  // The expression keeps both engines from using an index on the column.
  const key = (name: string) =>
    sorted ? sql`coalesce(${sql.ref(name)}, ${sql.ref(name)})` : sql.ref(name)
  const direction = descending ? 'desc' : 'asc'
  const columns = column === null ? [id] : [column, id]
  const slots = column === null ? [$.after_id] : [$.after_key, $.after_id]
  const comparison = sql.raw(descending ? '<' : '>')
  const tuple = (parts: readonly RawBuilder<unknown>[]) => sql`(${sql.join(parts)})`
  let ordered = selection
  for (const one of columns) ordered = ordered.orderBy(key(one), direction)
  if (continued) {
    const keyTuple = tuple(columns.map(key))
    const cursorTuple = tuple(slots.map((slot) => sql`${slot}`))
    const isAfterCursor: Expression<boolean> = sql`${keyTuple} ${comparison} ${cursorTuple}`
    ordered = ordered.where(isAfterCursor as never)
  }
  return ordered.limit(limit === undefined ? $.limit : sql.lit(limit))
}
