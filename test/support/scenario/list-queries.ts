import type { Endpoint } from '#wire/endpoint.ts'

interface ListQueryParameter {
  type?: string
  enum?: string[]
  items?: ListQueryParameter
  pattern?: string
  format?: string
}

/** A query string, and whether it has nothing but a sort order. */
export interface ListQueryCase {
  query: string
  isSortOnly: boolean
}

/**
 * Generates the queries of a list that produce different SQL: each sort order; each filter with
 * each kind of value, in each sort order; and each pair of filters.
 */
export function generateListQueries(endpoint: Endpoint): ListQueryCase[] {
  const { properties = {} } = (endpoint.query ?? {}) as {
    properties?: Record<string, ListQueryParameter>
  }
  const { limit: _, cursor: __, sort, external_id: ___, ...filters } = properties
  const orders = sort?.enum?.map((order) => `sort=${order}&`) ?? ['']
  const single = Object.entries(filters).map(([name, of]) =>
    valuesOf(name, of).map((value) => `${name}=${value}&`),
  )
  if (properties.external_id) single.push(['external_source=jira&external_id=1&'])
  const pairs = single.flatMap((ones, at) =>
    single.slice(at + 1).map((others) => `${ones.at(-1)}${others.at(-1)}`),
  )
  return [
    ...orders.map((query) => ({ query, isSortOnly: true })),
    ...orders.flatMap((order) =>
      single.flat().map((one) => ({ query: order + one, isSortOnly: false })),
    ),
    ...pairs
      .filter((pair) => !/(external_source=).*\1/.test(pair))
      .map((query) => ({ query, isSortOnly: false })),
  ]
}

function valuesOf(
  name: string,
  { type, enum: words, items, pattern, format }: ListQueryParameter,
): string[] {
  if (items) {
    const each = valuesOf(name, items)
    return each.length > 1 ? [...each, each.slice(0, 2).join(',')] : each
  }
  if (type === 'boolean') return ['true', 'false']
  if (type === 'integer') return ['1']
  if (words) return words
  if (format === 'date') return ['2026-01-01']
  if (format === 'date-time') return ['2026-01-01T00:00:00Z']
  if (pattern) {
    const prefix = /([a-z]{3})_/.exec(pattern)?.[1]
    const word = ['me', 'none'].filter((one) => new RegExp(pattern).test(one))
    return prefix ? [...word, `${prefix}_01k2m3n4p5q6r7s8t9v0w1x2y3`] : ['todo']
  }
  return name === 'q' ? ['eng-1', 'words', '-'] : ['jira']
}
