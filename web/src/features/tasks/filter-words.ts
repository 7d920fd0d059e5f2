import { formatDay, isDay } from '../../lib/day.ts'
import { m } from '../../messages/tasks.ts'
import type { Clause } from './filter.ts'
import { type Meaning, personOf, plain, statusKeys, tagOf } from './filter-query.ts'

export interface Words {
  /** "Status is not". */
  what: string
  /** "Canceled or Done". */
  value: string
}

/** A condition as a chip says it. */
export function wordsOf({ property, not, values }: Clause, meaning: Meaning): Words {
  const name = m.properties[property]
  if (property === 'text') return { what: m.has(name), value: values[0] ?? '' }
  const value = values.map((one) => valueWords(property, one, meaning)).join(m.orJoin)
  return { what: not ? m.isNot(name) : m.is(name), value }
}

export const chipText = (clause: Clause, meaning: Meaning): string => {
  const { what, value } = wordsOf(clause, meaning)
  return `${what} ${value}`
}

/** One value in words. */
export function valueWords(property: Clause['property'], value: string, meaning: Meaning): string {
  switch (property) {
    case 'status':
      return statusWords(value, meaning)
    case 'assignee':
    case 'creator':
      return personWords(value, meaning)
    case 'tag': {
      if (value === 'none') return m.noTag
      const id = tagOf(value, meaning)
      return meaning.tags.find((tag) => tag.id === id)?.name ?? value
    }
    case 'priority':
      return m.priorities[plain(value) as keyof typeof m.priorities] ?? value
    case 'parent':
      return m.topLevel
    case 'due':
      return dueWords(value)
    case 'text':
      return value
    default:
      return value.startsWith('<') ? m.lastDays(daysOf(value)) : m.longerAgo(daysOf(value))
  }
}

function statusWords(value: string, meaning: Meaning): string {
  if (plain(value) === 'open') return m.openStatuses
  if (plain(value) === 'closed') return m.closedStatuses
  const [key] = statusKeys(value, meaning)
  return meaning.statuses.find((status) => status.key === key)?.name ?? value
}

function personWords(value: string, meaning: Meaning): string {
  if (value === 'none') return m.nobody
  if (value === 'me') return m.me
  const id = personOf(value, meaning)
  return meaning.members.find((member) => member.id === id)?.name ?? value
}

function dueWords(value: string): string {
  if (value in m.dueWords) return m.dueWords[value as keyof typeof m.dueWords]
  if (isDay(value)) return formatDay(value)
  const rest = value.slice(1)
  const before = value.startsWith('<')
  if (isDay(rest)) return before ? m.before(formatDay(rest)) : m.after(formatDay(rest))
  return before ? m.inDays(daysOf(value)) : m.inMore(daysOf(value))
}

const daysOf = (value: string) =>
  Number.parseInt(value.slice(1), 10) * (value.endsWith('w') ? 7 : 1)
