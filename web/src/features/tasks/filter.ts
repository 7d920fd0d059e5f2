/** What a list can be filtered by. Dates and ages are windows, the others sets of values. */
export const SETS = ['status', 'assignee', 'creator', 'tag', 'priority', 'parent'] as const
export const WINDOWS = ['due', 'created', 'updated', 'completed'] as const
export type SetProperty = (typeof SETS)[number]
export type WindowProperty = (typeof WINDOWS)[number]
export type Property = SetProperty | WindowProperty

/**
 * One condition; all of a filter hold at once. A set has one clause for each of "is" and "is not", whose values
 * are alternatives; a window has one value, and may stand twice; `text` has the words that are searched.
 */
export interface Clause {
  property: Property | 'text'
  not: boolean
  values: readonly string[]
}
export type Filter = readonly Clause[]

const VALUE = '(?:"[^"]*"|[^\\s",]+)'
const TOKEN = new RegExp(`(-?)([a-z]+):(${VALUE}(?:,${VALUE})*)(?=\\s|$)|"[^"]*"|\\S+`, 'gi')
const DUE = /^(?:overdue|today|tomorrow|week|none|any|[<>]?\d{4}-\d\d-\d\d|[<>]\d{1,4}[dw])$/
const RECENT = /^<\d{1,4}[dw]$/
const AGE = /^[<>]\d{1,4}[dw]$/

/**
 * Reads a filter as it is typed: `status:todo,in_progress assignee:me due:<7d -tag:infra "two words"`. What is no
 * condition is text to be searched.
 */
export function parseFilter(typed: string): Filter {
  let filter: Filter = []
  const words: string[] = []
  for (const match of typed.matchAll(TOKEN)) {
    const [token, minus = '', name = '', list = ''] = match
    const clause = clauseOf(name.toLowerCase(), minus === '-', list)
    if (clause) filter = withClause(filter, clause)
    else words.push(token)
  }
  const text = words.join(' ').trim()
  return text ? [...filter, { property: 'text', not: false, values: [text] }] : filter
}

/** The filter as it would be typed: what the address holds. */
export const formatFilter = (filter: Filter): string =>
  filter
    .map(({ property, not, values }) =>
      property === 'text'
        ? (values[0] ?? '')
        : `${not ? '-' : ''}${property}:${values.map(quoted).join(',')}`,
    )
    .join(' ')

/** Adds a condition: alternatives join those of their property, text takes the place of other text. */
export function withClause(filter: Filter, clause: Clause): Filter {
  if (isWindow(clause.property)) {
    const there = filter.some((one) => sameKind(one, clause) && one.values[0] === clause.values[0])
    return there ? filter : [...filter, clause]
  }
  const at = filter.findIndex((one) => sameKind(one, clause))
  const old = filter[at]
  if (!old) return [...filter, clause]
  const values =
    clause.property === 'text' ? clause.values : [...new Set([...old.values, ...clause.values])]
  return filter.with(at, { ...old, values })
}

export const withoutClause = (filter: Filter, clause: Clause): Filter =>
  filter.filter((one) => one !== clause)

export const isWindow = (property: Clause['property']): property is WindowProperty =>
  (WINDOWS as readonly string[]).includes(property)

/** Whether a word is a value that a window understands. */
export const isWindowValue = (property: WindowProperty, value: string): boolean =>
  (property === 'due' ? DUE : property === 'updated' ? RECENT : AGE).test(value)

function clauseOf(name: string, not: boolean, list: string): Clause | undefined {
  const values = [...list.matchAll(new RegExp(VALUE, 'g'))].map(([value]) => unquoted(value))
  if ((SETS as readonly string[]).includes(name)) {
    if (name === 'parent' && (not || values.some((value) => value !== 'none'))) return undefined
    return { property: name as SetProperty, not, values }
  }
  if (!isWindow(name as Property)) return undefined
  const property = name as WindowProperty
  const value = values[0]?.toLowerCase()
  if (values.length !== 1 || value === undefined || !isWindowValue(property, value))
    return undefined
  if (!not) return { property, not, values: [value] }
  // A window has no exact opposite for what has no date; "none" and "any" are each other's.
  const opposite = { none: 'any', any: 'none' }[value]
  return opposite === undefined ? undefined : { property, not: false, values: [opposite] }
}

const sameKind = (a: Clause, b: Clause) => a.property === b.property && a.not === b.not
const quoted = (value: string) => (/[\s,"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value)
const unquoted = (value: string) => value.replaceAll('"', '')
