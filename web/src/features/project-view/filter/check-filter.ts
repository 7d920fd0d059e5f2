import { customFieldNames } from '../../../data/tasks/task-store.ts'
import { filterMessages } from '../../../messages/tasks/filter.ts'
import {
  type FilterProperty,
  getPropertyName,
  getRangeType,
  isCustomProperty,
  isSetProperty,
  listFilterProperties,
} from '../../property-definitions.ts'
import { formatClauseValue } from './clause-labels.ts'
import { type FilterContext, findNamed, normalizeWord } from './filter-query.ts'
import { listValues, resolveValue, toRangeValue } from './filter-values.ts'
import {
  FILTER_TOKEN,
  parseFilter,
  quoteIfNeeded,
  splitValues,
  type ViewFilter,
} from './view-filter.ts'

/** What is wrong with a typed filter, and where. */
export interface FilterProblem {
  message: string
  start: number
  end: number
}

type CheckedFilter =
  | { filter: ViewFilter; problem?: undefined }
  | { filter?: undefined; problem: FilterProblem }

/**
 * Reads a typed filter and checks it: each condition must mean something in this project. Days may
 * be typed in words; the filter has their dates. Properties and values may be typed as the chips
 * show them; the filter has the words that are the same in every language.
 */
export function checkFilter(typed: string, meaning: FilterContext): CheckedFilter {
  const tokens: string[] = []
  for (const match of typed.matchAll(FILTER_TOKEN)) {
    const [token, minus = '', name, list = ''] = match
    const checked =
      name === undefined ? checkWord(token) : checkCondition({ minus, name, list }, meaning)
    if (checked.message !== undefined) {
      const start = match.index
      return { problem: { message: checked.message, start, end: start + token.length } }
    }
    tokens.push(checked.condition ?? token)
  }
  return { filter: parseFilter(tokens.join(' ')) }
}

/** What is wrong with a token, or the condition that takes its place. */
interface CheckedToken {
  message?: string
  condition?: string
}

const { wrong } = filterMessages
const listDayExamples = (): string => {
  const { findValue, dueWords } = filterMessages
  const dates = [
    ...findValue.day.split(', '),
    ...['2026-12-10', '<7d', '>2w'],
    ...Object.values(dueWords),
  ]
  return dates.map(quoteIfNeeded).join(', ')
}
const EXAMPLES = { day: listDayExamples, age: () => '<7d, >30d', duration: () => '<2h, >30m, none' }

const listNamedProperties = () =>
  listFilterProperties(customFieldNames.get()).map((id) => ({ id, name: getPropertyName(id) }))

/** The property of a typed name: that of the API, or as much of the one on the screen as is clear. */
const findProperty = (typed: string): FilterProperty | undefined =>
  (
    listNamedProperties().find(({ id }) => id === typed.toLowerCase()) ??
    findNamed(typed, listNamedProperties())
  )?.id

/** What to type for each property: the first word of its name, if no other property has it. */
export const listPropertyWords = (): string[] =>
  listNamedProperties().map(({ id, name }) => {
    const [word = ''] = name.toLowerCase().split(' ')
    return findProperty(word) === id ? word : id
  })

function checkWord(token: string): CheckedToken {
  if (/^"[^"]*$/.test(token)) return { message: wrong.quote }
  const [, name] = /^-?(\p{L}+):$/u.exec(token) ?? []
  return name && findProperty(name) ? { message: wrong.missing(token) } : {}
}

function checkCondition(
  { minus, name, list }: Record<'minus' | 'name' | 'list', string>,
  meaning: FilterContext,
): CheckedToken {
  const property = findProperty(name)
  // An address of the web is no condition.
  if (!property) return list.startsWith('//') ? {} : { message: wrong.property(name) }
  const values = splitValues(list)
  if (isSetProperty(property)) {
    if (property === 'parent' && minus !== '') return { message: wrong.negated(name) }
    const words: string[] = []
    for (const value of values) {
      const [resolved] = resolveValue(property, value, meaning)
      const labelled = resolved === undefined ? findByLabel(property, value, meaning) : value
      // As tasks have it; one that the page does not hold yet may have any other value.
      const word = isCustomProperty(property) ? (resolved ?? labelled ?? value) : labelled
      if (word === undefined) return { message: wrong.value(value, getPropertyName(property)) }
      words.push(quoteIfNeeded(word))
    }
    return { condition: `${minus}${property}:${words.join()}` }
  }
  const value = values.join()
  const date = toRangeValue(property, value, meaning.today) ?? findByLabel(property, value, meaning)
  if (minus !== '' && date !== 'none' && date !== 'any') return { message: wrong.negated(name) }
  return date === undefined
    ? {
        message: wrong[getRangeType(property) === 'duration' ? 'duration' : 'date'](
          value,
          EXAMPLES[getRangeType(property)](),
        ),
      }
    : { condition: `${minus}${property}:${quoteIfNeeded(date)}` }
}

/** The value that a chip shows with this text. */
const findByLabel = (
  property: FilterProperty,
  typed: string,
  meaning: FilterContext,
): string | undefined =>
  listValues(property, meaning).find(
    (value) => normalizeWord(formatClauseValue(property, value, meaning)) === normalizeWord(typed),
  )
