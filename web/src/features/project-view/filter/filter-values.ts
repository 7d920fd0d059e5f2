import { parseWhen } from '../../../lib/dates/parse-when.ts'
import {
  addDaysToDate,
  addMonthsToDate,
  countDaysBetween,
  isPlainDate,
  type PlainDate,
} from '../../../lib/dates/plain-date.ts'
import { filterMessages } from '../../../messages/tasks/filter.ts'
import {
  type FilterProperty,
  PRIORITY_VALUES,
  type RangeProperty,
  type SetProperty,
} from '../../property-definitions.ts'
import {
  BLOCKED_VALUES,
  type FilterContext,
  findNamed,
  normalizeWord,
  resolveMember,
  resolveProjectWord,
  resolveStatusKeys,
  resolveTagWord,
  toStatusWord,
} from './filter-query.ts'
import { isRangeValue } from './view-filter.ts'

const DUE_VALUES = [
  'overdue',
  'today',
  'tomorrow',
  'week',
  'nextweek',
  '<7d',
  '<14d',
  'none',
  'any',
]
const AGE_VALUES = ['<1d', '<7d', '<30d', '>30d']
const RESERVED_WORDS = ['me', 'none']
const MAX_DAYS = 9_999

/** The values that a filter by a property offers, as they are typed. */
export function listValues(
  property: FilterProperty,
  { statuses, members, tags, projects }: FilterContext,
): readonly string[] {
  switch (property) {
    case 'status':
      return ['open', 'closed', ...statuses.map(({ key }) => toStatusWord(key))]
    case 'assignee':
      return ['me', 'none', ...toWords(members)]
    case 'creator':
      return ['me', ...toWords(members)]
    case 'tag':
      return ['none', ...toWords(tags)]
    case 'priority':
      return PRIORITY_VALUES
    case 'parent':
      return ['none']
    case 'blocked':
      return BLOCKED_VALUES
    case 'project':
      return projects.map(({ prefix }) => prefix)
    case 'due':
      return DUE_VALUES
    default:
      return AGE_VALUES
  }
}

/** The name of each record; its id if the name would find another one, or is a word of the filter. */
const toWords = (all: readonly { id: string; name: string }[]): string[] => [
  ...new Set(
    all.map((one) =>
      RESERVED_WORDS.includes(one.name) || findNamed(one.name, all)?.name !== one.name
        ? one.id
        : one.name,
    ),
  ),
]

/** The values of tasks that a word of a set property means; none if nothing has this name. */
export function resolveValue(
  property: SetProperty,
  word: string,
  meaning: FilterContext,
): readonly string[] {
  if (property === 'status') return resolveStatusKeys(word, meaning)
  if (property === 'priority') return PRIORITY_VALUES.filter((one) => one === normalizeWord(word))
  if (property === 'blocked') return BLOCKED_VALUES.filter((one) => one === normalizeWord(word))
  if (property === 'parent') return word === 'none' ? [word] : []
  if (property === 'tag') return resolveTagWord(word, meaning)
  const id =
    property === 'project' ? resolveProjectWord(word, meaning) : resolveMember(word, meaning)
  return id === undefined ? [] : [id]
}

/**
 * A typed value of a date as the address holds it: `friday` becomes the day, `heute` stays `today`,
 * and `<15.11.` is an age for properties that lie in the past. Undefined if it is no date.
 */
export function toRangeValue(
  property: RangeProperty,
  typed: string,
  today: PlainDate,
): string | undefined {
  const value = typed.trim().toLowerCase()
  if (isRangeValue(property, value)) return value
  if (property === 'due') {
    const wanted = normalizeWord(value)
    const named = Object.entries(filterMessages.dueWords).find(
      ([word, label]) => word === wanted || normalizeWord(label) === wanted,
    )
    if (named) return named[0]
  }
  const [, sign = '', words = ''] = /^([<>]?)\s*(.*)$/.exec(value) ?? []
  const date = parseWhen(words, today)?.date
  if (!date) return undefined
  if (property === 'due') return `${sign}${date}`
  const days = countDaysBetween(toPast(date, words, today), today)
  const age = `${sign || '<'}${days}d`
  return days <= MAX_DAYS && isRangeValue(property, age) ? age : undefined
}

/** Dates are typed as if they were to come: of the past, "30 days" is behind, "friday" the last one. */
function toPast(date: PlainDate, words: string, today: PlainDate): PlainDate {
  const ahead = countDaysBetween(today, date)
  if (ahead <= 0 || isPlainDate(words)) return date
  if (/^(in )?\+?(\d+|an?|einem|einer) ?\p{L}+$/u.test(words)) return addDaysToDate(today, -ahead)
  return ahead <= 14 ? addDaysToDate(date, ahead <= 7 ? -7 : -14) : addMonthsToDate(date, -12)
}
