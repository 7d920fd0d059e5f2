import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { formatClauseValue } from './clause-labels.ts'
import { type FilterContext, findNamed, normalizeWord, toStatusWord } from './filter-query.ts'
import { type FilterProperty, RANGE_PROPERTIES, SET_PROPERTIES } from './view-filter.ts'

/** A suggestion while the user types a filter. */
export interface FilterCompletion {
  /** Replaces the last word. */
  typed: string
  label: string
  hint?: string
  /** Whether the condition is complete; otherwise its value must still be typed. */
  isComplete: boolean
}

const DUE_VALUES = ['overdue', 'today', 'tomorrow', 'week', '<7d', '<14d', 'none', 'any']
const AGE_VALUES = ['<1d', '<7d', '<30d', '>30d']
const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none']
const RESERVED_WORDS = ['me', 'none']
const MAX_COMPLETIONS = 12

/** Suggests property names for the last word or, after a property and a colon, its values. */
export function suggestCompletions(text: string, meaning: FilterContext): FilterCompletion[] {
  const word = lastWord(text)
  const [, minus = '', name = '', list] = /^(-?)([a-z]*)(?::(.*))?$/i.exec(word) ?? []
  if (list === undefined) return suggestProperties(minus, name)
  const property = [...SET_PROPERTIES, ...RANGE_PROPERTIES].find(
    (one) => one === name.toLowerCase(),
  )
  if (!property) return []
  const before = list.slice(0, list.lastIndexOf(',') + 1)
  const prefix = normalizeWord(list.slice(before.length).replaceAll('"', ''))
  return listValues(property, meaning)
    .map((value) => ({ value, label: formatClauseValue(property, value, meaning) }))
    .filter(
      ({ value, label }) =>
        normalizeWord(label).includes(prefix) || normalizeWord(value).startsWith(prefix),
    )
    .slice(0, MAX_COMPLETIONS)
    .map(({ value, label }) => ({
      typed: `${minus}${name}:${before}${quoteIfNeeded(value)}`,
      label,
      hint: value,
      isComplete: true,
    }))
}

/** Replaces the last word of the text with a completion. */
export const applyCompletion = (text: string, { typed, isComplete }: FilterCompletion): string =>
  `${text.slice(0, text.length - lastWord(text).length)}${typed}${isComplete ? ' ' : ''}`

function suggestProperties(minus: string, name: string): FilterCompletion[] {
  return [...SET_PROPERTIES, ...RANGE_PROPERTIES]
    .filter(
      (one) =>
        one.startsWith(name.toLowerCase()) ||
        normalizeWord(projectViewMessages.properties[one]).startsWith(normalizeWord(name)),
    )
    .filter(
      (one) => minus === '' || one === 'due' || (SET_PROPERTIES as readonly string[]).includes(one),
    )
    .map((one) => ({
      typed: `${minus}${one}:`,
      label: projectViewMessages.properties[one],
      hint: `${minus}${one}:`,
      isComplete: false,
    }))
}

function listValues(
  property: FilterProperty,
  { statuses, members, tags }: FilterContext,
): readonly string[] {
  if (property === 'status')
    return ['open', 'closed', ...statuses.map(({ key }) => toStatusWord(key))]
  if (property === 'assignee') return ['me', 'none', ...toWords(members)]
  if (property === 'creator') return ['me', ...toWords(members)]
  if (property === 'tag') return ['none', ...toWords(tags)]
  if (property === 'priority') return PRIORITIES
  if (property === 'parent') return ['none']
  return property === 'due'
    ? DUE_VALUES
    : property === 'updated'
      ? AGE_VALUES.slice(0, 3)
      : AGE_VALUES
}

/** The name of each record; its id if the name would find another one, or is a word of the filter. */
const toWords = (all: readonly { id: string; name: string }[]): string[] =>
  all.map((one) =>
    RESERVED_WORDS.includes(one.name) || findNamed(one.name, all) !== one ? one.id : one.name,
  )

const lastWord = (text: string): string => /(?:"[^"]*"?|[^\s"])*$/.exec(text)?.[0] ?? ''
const quoteIfNeeded = (value: string) => (/[\s,]/.test(value) ? `"${value}"` : value)
