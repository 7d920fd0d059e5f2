import { parseDuration } from '#lib/typed-duration.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatDay, isPlainDate } from '../../../lib/dates/plain-date.ts'
import { filterMessages } from '../../../messages/tasks/filter.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import {
  formatFieldText,
  getFixedLabels,
  getPropertyName,
  getRangeType,
  isCustomProperty,
  isFixedProperty,
  isRangeProperty,
  type RangeProperty,
} from '../../property-definitions.ts'
import {
  type FilterContext,
  normalizeWord,
  resolveMember,
  resolveProjectWord,
  resolveStatusKeys,
  resolveTag,
} from './filter-query.ts'
import type { FilterClause } from './view-filter.ts'

interface ClauseLabel {
  /** "Status is not". */
  what: string
  /** "Canceled or Done". */
  value: string
}

/** A condition as a chip shows it. */
export function describeClause(
  { property, not, values }: FilterClause,
  meaning: FilterContext,
): ClauseLabel {
  const name = getPropertyName(property)
  if (property === 'text') return { what: filterMessages.has(name), value: values[0] ?? '' }
  const value = values
    .map((one) => formatClauseValue(property, one, meaning))
    .join(filterMessages.orJoin)
  // "Created in the last 7 days" is a sentence as it is.
  if (isRangeProperty(property) && getRangeType(property) === 'age') return { what: name, value }
  return { what: not ? filterMessages.isNot(name) : filterMessages.is(name), value }
}

export const formatClause = (clause: FilterClause, meaning: FilterContext): string => {
  const { what, value } = describeClause(clause, meaning)
  return `${what} ${value}`
}

/** Formats one value for display. */
export function formatClauseValue(
  property: FilterClause['property'],
  value: string,
  meaning: FilterContext,
): string {
  switch (property) {
    case 'status':
      return formatStatus(value, meaning)
    case 'assignee':
    case 'creator':
      return formatMember(value, meaning)
    case 'tag': {
      if (value === 'none') return toLowerFirst(projectViewMessages.noTag)
      const id = resolveTag(value, meaning)
      return meaning.tags.find((tag) => tag.id === id)?.name ?? value
    }
    case 'parent':
      return projectViewMessages.noValue
    case 'project': {
      const id = resolveProjectWord(value, meaning)
      return meaning.projects.find((project) => project.id === id)?.name ?? value
    }
    case 'text':
      return value
    default: {
      if (isRangeProperty(property)) return formatRangeValue(property, value)
      if (isCustomProperty(property))
        return value === 'none' ? projectViewMessages.noValue : formatFieldText(value)
      const key = normalizeWord(value)
      const label = (isFixedProperty(property) && getFixedLabels(property)[key]) || value
      // "Repeat is none", since "does not repeat" is no value.
      if (key === 'none' && property === 'repeat') return projectViewMessages.noValue
      return key === 'none' ? toLowerFirst(label) : label
    }
  }
}

function formatRangeValue(property: RangeProperty, value: string): string {
  const type = getRangeType(property)
  if (type === 'day' || value === 'none' || value === 'any') return formatDayValue(value)
  const isBelow = value.startsWith('<')
  if (type === 'duration') {
    const amount = formatDuration(parseDuration(value.slice(1)) ?? 0)
    return isBelow ? filterMessages.below(amount) : filterMessages.above(amount)
  }
  const days = parseDays(value)
  return isBelow ? filterMessages.lastDays(days) : filterMessages.longerAgo(days)
}

function formatStatus(value: string, meaning: FilterContext): string {
  if (normalizeWord(value) === 'open') return filterMessages.openStatuses
  if (normalizeWord(value) === 'closed') return filterMessages.closedStatuses
  const [key] = resolveStatusKeys(value, meaning)
  return meaning.statuses.find((status) => status.key === key)?.name ?? value
}

function formatMember(value: string, meaning: FilterContext): string {
  if (value === 'none') return toLowerFirst(projectViewMessages.nobody)
  if (value === 'me') return filterMessages.me
  const id = resolveMember(value, meaning)
  return meaning.members.find((member) => member.id === id)?.name ?? value
}

function formatDayValue(value: string): string {
  if (value in filterMessages.dueWords)
    return filterMessages.dueWords[value as keyof typeof filterMessages.dueWords]
  if (isPlainDate(value)) return formatDay(value)
  const rest = value.slice(1)
  const before = value.startsWith('<')
  if (isPlainDate(rest))
    return before ? filterMessages.before(formatDay(rest)) : filterMessages.after(formatDay(rest))
  return before ? filterMessages.inDays(parseDays(value)) : filterMessages.inMore(parseDays(value))
}

/** Words of the app within a condition, unlike names, are written as in a sentence. */
const toLowerFirst = (text: string) => `${text.charAt(0).toLocaleLowerCase()}${text.slice(1)}`

const parseDays = (value: string) =>
  Number.parseInt(value.slice(1), 10) * (value.endsWith('w') ? 7 : 1)
