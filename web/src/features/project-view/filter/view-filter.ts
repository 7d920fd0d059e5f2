import { isPlainDate } from '../../../lib/dates/plain-date.ts'

/** The properties a list can be filtered by: sets of values, and ranges of dates or ages. */
export const SET_PROPERTIES = [
  'status',
  'assignee',
  'creator',
  'tag',
  'priority',
  'parent',
] as const
export const RANGE_PROPERTIES = ['due', 'created', 'updated', 'completed'] as const
export type SetProperty = (typeof SET_PROPERTIES)[number]
export type RangeProperty = (typeof RANGE_PROPERTIES)[number]
export type FilterProperty = SetProperty | RangeProperty

/**
 * One condition of a filter; a task must meet all of them. A set property has at most one clause
 * for "is" and one for "is not", whose values are alternatives. A range property has one value per
 * clause, and may have several clauses. `text` holds the words to search for.
 */
export interface FilterClause {
  property: FilterProperty | 'text'
  not: boolean
  values: readonly string[]
}
export type ViewFilter = readonly FilterClause[]

const VALUE = '(?:"[^"]*"|[^\\s",]+)'
const TOKEN = new RegExp(`(-?)([a-z]+):(${VALUE}(?:,${VALUE})*)(?=\\s|$)|"[^"]*"|\\S+`, 'gi')
const DUE_VALUE = /^(?:overdue|today|tomorrow|week|none|any|[<>]\d{1,4}[dw])$/
const RECENT_VALUE = /^<\d{1,4}[dw]$/
const AGE_VALUE = /^[<>]\d{1,4}[dw]$/

/**
 * Parses typed text: `status:todo,in_progress assignee:me due:<7d -tag:infra "two words"`.
 * Everything that is not a valid condition is searched as text.
 */
export function parseFilter(typed: string): ViewFilter {
  let filter: ViewFilter = []
  const words: string[] = []
  for (const match of typed.matchAll(TOKEN)) {
    const [token, minus = '', name = '', list = ''] = match
    const clause = parseClause(name.toLowerCase(), minus === '-', list)
    if (clause) filter = addClause(filter, clause)
    else words.push(token)
  }
  const text = words.join(' ').trim()
  return text ? [...filter, { property: 'text', not: false, values: [text] }] : filter
}

/** Formats a filter as it would be typed; the URL holds this form. */
export const formatFilter = (filter: ViewFilter): string =>
  filter
    .map(({ property, not, values }) =>
      property === 'text'
        ? (values[0] ?? '')
        : `${not ? '-' : ''}${property}:${values.map(quoteIfNeeded).join(',')}`,
    )
    .join(' ')

/** Adds a condition: values join the clause of the same property, text replaces other text. */
export function addClause(filter: ViewFilter, clause: FilterClause): ViewFilter {
  if (isRangeProperty(clause.property)) {
    const isPresent = filter.some(
      (one) => sameKind(one, clause) && one.values[0] === clause.values[0],
    )
    return isPresent ? filter : [...filter, clause]
  }
  const at = filter.findIndex((one) => sameKind(one, clause))
  const old = filter[at]
  if (!old) return [...filter, clause]
  const values =
    clause.property === 'text' ? clause.values : [...new Set([...old.values, ...clause.values])]
  return filter.with(at, { ...old, values })
}

export const removeClause = (filter: ViewFilter, clause: FilterClause): ViewFilter =>
  filter.filter((one) => one !== clause)

export const isRangeProperty = (property: FilterClause['property']): property is RangeProperty =>
  (RANGE_PROPERTIES as readonly string[]).includes(property)

/** Whether a word is a valid value of a range property. */
export function isRangeValue(property: RangeProperty, value: string): boolean {
  if (property === 'due') return DUE_VALUE.test(value) || isPlainDate(value.replace(/^[<>]/, ''))
  return (property === 'updated' ? RECENT_VALUE : AGE_VALUE).test(value)
}

function parseClause(name: string, not: boolean, list: string): FilterClause | undefined {
  const values = [...list.matchAll(new RegExp(VALUE, 'g'))].map(([value]) => unquote(value))
  if ((SET_PROPERTIES as readonly string[]).includes(name)) {
    if (name === 'parent' && (not || values.some((value) => value !== 'none'))) return undefined
    return { property: name as SetProperty, not, values }
  }
  if (!isRangeProperty(name as FilterProperty)) return undefined
  const property = name as RangeProperty
  const value = values[0]?.toLowerCase()
  if (values.length !== 1 || value === undefined || !isRangeValue(property, value)) return undefined
  if (!not) return { property, not, values: [value] }
  // A range cannot be negated exactly, because tasks without the date match neither it nor its
  // opposite. Only "none" and "any" are opposites.
  const opposite = { none: 'any', any: 'none' }[value]
  return opposite === undefined ? undefined : { property, not: false, values: [opposite] }
}

const sameKind = (a: FilterClause, b: FilterClause) => a.property === b.property && a.not === b.not
const quoteIfNeeded = (value: string) =>
  /[\s,"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value
const unquote = (value: string) => value.replaceAll('"', '')
