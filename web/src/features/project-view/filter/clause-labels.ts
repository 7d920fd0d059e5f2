import { formatDay, isPlainDate } from '../../../lib/dates/plain-date.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import {
  type FilterContext,
  normalizeWord,
  resolveMember,
  resolveStatusKeys,
  resolveTag,
} from './filter-query.ts'
import type { FilterClause } from './view-filter.ts'

export interface ClauseLabel {
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
  const name = projectViewMessages.properties[property]
  if (property === 'text') return { what: projectViewMessages.has(name), value: values[0] ?? '' }
  const value = values
    .map((one) => formatClauseValue(property, one, meaning))
    .join(projectViewMessages.orJoin)
  return { what: not ? projectViewMessages.isNot(name) : projectViewMessages.is(name), value }
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
      if (value === 'none') return projectViewMessages.noTag
      const id = resolveTag(value, meaning)
      return meaning.tags.find((tag) => tag.id === id)?.name ?? value
    }
    case 'priority':
      return (
        projectViewMessages.priorities[
          normalizeWord(value) as keyof typeof projectViewMessages.priorities
        ] ?? value
      )
    case 'parent':
      return projectViewMessages.noValue
    case 'due':
      return formatDue(value)
    case 'text':
      return value
    default:
      return value.startsWith('<')
        ? projectViewMessages.lastDays(parseDays(value))
        : projectViewMessages.longerAgo(parseDays(value))
  }
}

function formatStatus(value: string, meaning: FilterContext): string {
  if (normalizeWord(value) === 'open') return projectViewMessages.openStatuses
  if (normalizeWord(value) === 'closed') return projectViewMessages.closedStatuses
  const [key] = resolveStatusKeys(value, meaning)
  return meaning.statuses.find((status) => status.key === key)?.name ?? value
}

function formatMember(value: string, meaning: FilterContext): string {
  if (value === 'none') return projectViewMessages.nobody
  if (value === 'me') return projectViewMessages.me
  const id = resolveMember(value, meaning)
  return meaning.members.find((member) => member.id === id)?.name ?? value
}

function formatDue(value: string): string {
  if (value in projectViewMessages.dueWords)
    return projectViewMessages.dueWords[value as keyof typeof projectViewMessages.dueWords]
  if (isPlainDate(value)) return formatDay(value)
  const rest = value.slice(1)
  const before = value.startsWith('<')
  if (isPlainDate(rest))
    return before
      ? projectViewMessages.before(formatDay(rest))
      : projectViewMessages.after(formatDay(rest))
  return before
    ? projectViewMessages.inDays(parseDays(value))
    : projectViewMessages.inMore(parseDays(value))
}

const parseDays = (value: string) =>
  Number.parseInt(value.slice(1), 10) * (value.endsWith('w') ? 7 : 1)
