import { type Expression, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Page } from '#core/page.ts'
import type { Scoped } from './statement.ts'
import type { Tables } from './tables.ts'

/** What a list is in order of, apart from the values: it shapes the statement. */
export interface Order {
  /** The column sorted by, such as `tags.name_key`; null where that is the id. */
  column: string | null
  descending: boolean
  /** Whether the page begins after a position. */
  continued: boolean
  /** Few rows are left by another way than along an index of this order: they are to be sorted. */
  sorted?: boolean
}

/** What a page binds beside the filters. */
export interface Window {
  after_key: string | number
  after_id: string
  limit: number
}

export const orderOf = ({ descending, after }: Page, column: string | null): Order => ({
  column,
  descending,
  continued: after !== undefined,
})

export const windowOf = ({ after, limit }: Page): Window => ({
  after_key: after?.[0] ?? '',
  after_id: after?.[1] ?? '',
  limit,
})

/**
 * Puts a selection in order and cuts a window out of it, after a position: never by counting rows.
 * Ties are broken by id in the same direction, so that the order is total (contract 3.3).
 */
export function paged<T extends keyof Tables, O>(
  selection: SelectQueryBuilder<Tables, T, O>,
  $: Scoped<Window>,
  id: string,
  { column, descending, continued, sorted }: Order,
): SelectQueryBuilder<Tables, T, O> {
  // Neither engine finds an index in an expression.
  const key = (name: string) =>
    sorted ? sql`coalesce(${sql.ref(name)}, ${sql.ref(name)})` : sql.ref(name)
  const direction = descending ? 'desc' : 'asc'
  const columns = column === null ? [id] : [column, id]
  const slots = column === null ? [$.after_id] : [$.after_key, $.after_id]
  const than = sql.raw(descending ? '<' : '>')
  const tuple = (parts: readonly RawBuilder<unknown>[]) => sql`(${sql.join(parts)})`
  let ordered = selection
  for (const one of columns) ordered = ordered.orderBy(key(one), direction)
  if (continued) {
    const left = tuple(columns.map(key))
    const right = tuple(slots.map((slot) => sql`${slot}`))
    const beyond: Expression<boolean> = sql`${left} ${than} ${right}`
    ordered = ordered.where(beyond as never)
  }
  return ordered.limit($.limit)
}
