import { filterMessages } from '../../../messages/tasks/filter.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { isRangeProperty, isSetProperty } from '../../property-definitions.ts'
import type { FilterContext } from './filter-query.ts'
import { resolveValue, toRangeValue } from './filter-values.ts'
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
 * be typed in words; the filter has their dates.
 */
export function checkFilter(typed: string, meaning: FilterContext): CheckedFilter {
  const tokens: string[] = []
  for (const match of typed.matchAll(FILTER_TOKEN)) {
    const [token, minus = '', name, list = ''] = match
    const checked =
      name === undefined
        ? checkWord(token)
        : checkCondition({ minus, name: name.toLowerCase(), list }, meaning)
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
/** Dates as a filter takes them; most of it is the same in every language. */
const DUE_EXAMPLES =
  'friday, 15.12., 2026-12-10, <7d, >2w, overdue, today, tomorrow, week, nextweek, none, any'
const AGE_EXAMPLES = '<7d, >30d'

function checkWord(token: string): CheckedToken {
  if (/^"[^"]*$/.test(token)) return { message: wrong.quote }
  const name = /^-?([a-z]+):$/i.exec(token)?.[1]?.toLowerCase()
  const isProperty = name !== undefined && (isSetProperty(name) || isRangeProperty(name))
  return isProperty ? { message: wrong.missing(token) } : {}
}

function checkCondition(
  { minus, name, list }: Record<'minus' | 'name' | 'list', string>,
  meaning: FilterContext,
): CheckedToken {
  const values = splitValues(list)
  if (isSetProperty(name)) {
    if (name === 'parent' && minus !== '') return { message: wrong.negated(name) }
    const unknown = values.find((value) => resolveValue(name, value, meaning).length === 0)
    return unknown === undefined
      ? {}
      : { message: wrong.value(unknown, projectViewMessages.properties[name]) }
  }
  // An address of the web is no condition.
  if (!isRangeProperty(name)) return list.startsWith('//') ? {} : { message: wrong.property(name) }
  const value = values.join()
  if (minus !== '' && !['none', 'any'].includes(value.toLowerCase()))
    return { message: wrong.negated(name) }
  const date = toRangeValue(name, value, meaning.today)
  return date === undefined
    ? { message: wrong.date(value, name === 'due' ? DUE_EXAMPLES : AGE_EXAMPLES) }
    : { condition: `${minus}${name}:${quoteIfNeeded(date)}` }
}
