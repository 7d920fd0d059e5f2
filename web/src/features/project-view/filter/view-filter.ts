import { parseDuration } from '#lib/typed-duration.ts'
import { isPlainDate } from '../../../lib/dates/plain-date.ts'
import {
  type FilterProperty,
  getRangeType,
  isRangeProperty,
  isSetProperty,
  type RangeProperty,
} from '../../property-definitions.ts'

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

/** A quote within quotes is doubled. */
const QUOTED = '"(?:[^"]|"")*"'
const VALUE = `(?:[<>]?${QUOTED}|[^\\s",]+)`
/** A condition, quoted words or one word; with the minus, the property and the values of a condition. */
export const FILTER_TOKEN = new RegExp(
  `(-?)(\\p{L}+|field\\.[a-z0-9_]+):(${VALUE}(?:,${VALUE})*)(?=\\s|$)|${QUOTED}|\\S+`,
  'gu',
)
const DAY_VALUE = /^(?:today|tomorrow|week|nextweek|[<>]\d{1,4}[dw])$/
const AGE_VALUE = /^[<>]\d{1,4}[dw]$/

/**
 * Parses typed text: `status:todo,in_progress assignee:me due:<7d -tag:infra "two words"`.
 * Everything that is not a valid condition is text.
 */
export function parseFilter(typed: string): ViewFilter {
  let filter: ViewFilter = []
  const words: string[] = []
  for (const match of typed.matchAll(FILTER_TOKEN)) {
    const [token, minus = '', name = '', list = ''] = match
    const clause = parseClause(name.toLowerCase(), minus === '-', list)
    if (clause) filter = addClause(filter, clause)
    else words.push(token)
  }
  const text = words.join(' ').trim()
  return text ? [...filter, { property: 'text', not: false, values: [text] }] : filter
}

/**
 * What a text searches for. A part that would be a condition if it were right is told to the person
 * (check-filter.ts): no task has it in its words, and the other conditions still show theirs.
 */
export const getSearchedWords = (text: string): string =>
  [...text.matchAll(FILTER_TOKEN)]
    .filter(([, , name, list = '']) => name === undefined || list.startsWith('//'))
    .map(([token]) => token)
    .join(' ')

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

/** Whether a word is a valid value of a range property. */
export function isRangeValue(property: RangeProperty, value: string): boolean {
  if (value === 'none' || value === 'any') return true
  switch (getRangeType(property)) {
    case 'day':
      return (
        DAY_VALUE.test(value) ||
        (value === 'overdue' && property === 'due') ||
        isPlainDate(value.replace(/^[<>]/, ''))
      )
    case 'age':
      return AGE_VALUE.test(value)
    case 'duration':
      return /^[<>]/.test(value) && parseDuration(value.slice(1)) !== undefined
  }
}

function parseClause(name: string, not: boolean, list: string): FilterClause | undefined {
  const values = splitValues(list)
  if (isSetProperty(name)) {
    if (name === 'parent' && (not || values.some((value) => value !== 'none'))) return undefined
    return { property: name, not, values }
  }
  if (!isRangeProperty(name)) return undefined
  const value = values[0]?.toLowerCase()
  if (values.length !== 1 || value === undefined || !isRangeValue(name, value)) return undefined
  if (!not) return { property: name, not, values: [value] }
  // A range cannot be negated exactly, because tasks without the date match neither it nor its
  // opposite. Only "none" and "any" are opposites.
  const opposite = { none: 'any', any: 'none' }[value]
  return opposite === undefined ? undefined : { property: name, not: false, values: [opposite] }
}

/** The values of a condition as they are typed after its colon. */
export const splitValues = (list: string): string[] =>
  [...list.matchAll(new RegExp(VALUE, 'g'))].map(([value]) => unquote(value))

const sameKind = (a: FilterClause, b: FilterClause) => a.property === b.property && a.not === b.not
/** Quotes a value that the syntax would split. */
export const quoteIfNeeded = (value: string) =>
  /[\s,"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value

/** The value that is in quotes, also behind the sign of a date. */
const unquote = (value: string): string => {
  const [, sign = '', quoted] = /^([<>]?)"(.*)"$/s.exec(value) ?? []
  return quoted === undefined ? value : `${sign}${quoted.replaceAll('""', '"')}`
}
