import { foldCase } from '#lib/fold-case.ts'
import { parseTypedDate } from '#lib/typed-dates.ts'
import { parseDuration } from '#lib/typed-duration.ts'
import { getCachedTasks } from '../../../data/tasks/task-store.ts'
import { getDateContext } from '../../../lib/dates/date-context.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { countDaysBetween, type PlainDate } from '../../../lib/dates/plain-date.ts'
import { filterMessages } from '../../../messages/tasks/filter.ts'
import {
  type CustomProperty,
  type FilterProperty,
  getFilterRules,
  getRangeType,
  isCustomProperty,
  isRangeProperty,
  type RangeProperty,
  type SetProperty,
  toFieldRank,
} from '../../property-definitions.ts'
import {
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
const DURATION_VALUES = ['<1h', '<4h', '>4h', '>8h', 'none', 'any']
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
      return ['none', ...toTagWords(tags)]
    case 'parent':
      return ['none']
    case 'project':
      return projects.map(({ prefix }) => prefix)
    default:
      if (isCustomProperty(property)) return listFieldValues(property)
      return isRangeProperty(property)
        ? listRangeValues(property)
        : (getFilterRules(property)?.values ?? [])
  }
}

/** The values of a custom field in the tasks that the page holds, in their order. */
function listFieldValues(property: CustomProperty): readonly string[] {
  const { keysOf } = getFilterRules(property) ?? {}
  const values = new Set(getCachedTasks().flatMap((task) => keysOf?.(task) ?? []))
  values.delete('none')
  const sorted = [...values].map((value) => ({ value, rank: toFieldRank(value) }))
  sorted.sort((a, b) => (a.rank < b.rank ? -1 : 1))
  return ['none', ...sorted.map(({ value }) => value)]
}

function listRangeValues(property: RangeProperty): readonly string[] {
  const type = getRangeType(property)
  if (type === 'duration') return DURATION_VALUES
  if (type === 'age') return AGE_VALUES
  return property === 'due' ? DUE_VALUES : DUE_VALUES.filter((value) => value !== 'overdue')
}

/** The name of each record; its id if the name would find another one, or is a word of the filter. */
const toWords = (all: readonly { id: string; name: string }[]): string[] =>
  all.map((one) =>
    RESERVED_WORDS.includes(one.name) || findNamed(one.name, all) !== one ? one.id : one.name,
  )

/** Tags with the same name in different projects are one word. */
const toTagWords = (tags: FilterContext['tags']): string[] =>
  toWords([...new Map(tags.toReversed().map((tag) => [tag.name, tag])).values()].toReversed())

/** The values of tasks that a word of a set property means; none if nothing has this name. */
export function resolveValue(
  property: SetProperty,
  word: string,
  meaning: FilterContext,
): readonly string[] {
  if (property === 'status') return resolveStatusKeys(word, meaning)
  const fixed = getFilterRules(property)?.values
  if (isCustomProperty(property)) {
    const folded = foldCase(word)
    return listFieldValues(property).filter((one) => foldCase(one) === folded)
  }
  if (fixed) return fixed.filter((one) => one === normalizeWord(word))
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
  const type = getRangeType(property)
  if (type !== 'age') {
    const wanted = normalizeWord(value)
    const named = Object.entries(filterMessages.dueWords).find(
      ([word, label]) => word === wanted || normalizeWord(label) === wanted,
    )
    if (named && isRangeValue(property, named[0])) return named[0]
  }
  const [, sign = '', words = ''] = /^([<>]?)\s*(.*)$/.exec(value) ?? []
  if (type === 'duration') {
    const seconds = parseDuration(words)
    return seconds === undefined
      ? undefined
      : `${sign || '<'}${formatDuration(seconds).replaceAll(' ', '')}`
  }
  // What was created or changed lies in the past.
  const direction = type === 'day' ? 'next' : 'last'
  const { date } = parseTypedDate(words, { ...getDateContext(today), direction }) ?? {}
  if (!date) return undefined
  if (type === 'day') return `${sign}${date}`
  const days = countDaysBetween(date, today)
  const age = `${sign || '<'}${days}d`
  return days <= MAX_DAYS && isRangeValue(property, age) ? age : undefined
}
