import { formatDay, isDay } from '../../lib/day.ts'
import { formatDuration } from '../../lib/duration.ts'
import { dayTimeOf } from '../../lib/instant.ts'
import { m as activity } from '../../messages/activity.ts'
import { listed } from '../../messages/plural.ts'
import { m } from '../../messages/task.ts'
import { shownValue } from './custom-value.ts'
import { ruleWords } from './rule-words.ts'

/** How ids and keys are called. */
export interface Names {
  person: (id: string) => string
  tag: (id: string) => string
  task: (id: string) => string
  project: (id: string) => string
  status: (key: string) => string
}

const MOST_LETTERS = 80

/** A value of a task's field in words, as far as one line takes it. */
export function valueWords(field: string, value: unknown, names: Names): string {
  if (value === null || value === undefined || value === '') return activity.nothing
  if (Array.isArray(value)) {
    if (value.length === 0) return activity.nothing
    return listed(value.map((one) => nameOf(field, String(one), names)))
  }
  if (typeof value === 'number') {
    return field.endsWith('_seconds') ? formatDuration(value) : String(value)
  }
  if (typeof value === 'boolean') return shownValue(value)
  if (typeof value === 'object') return objectWords(field, value as Record<string, unknown>)
  return cut(nameOf(field, String(value), names))
}

function nameOf(field: string, value: string, names: Names): string {
  if (field === 'status') return names.status(value)
  if (field === 'priority') return m.priorities[value as keyof typeof m.priorities] ?? value
  if (field === 'project_id') return names.project(value)
  if (value.startsWith('usr_')) return names.person(value)
  if (value.startsWith('tag_')) return names.tag(value)
  if (value.startsWith('tsk_')) return names.task(value)
  if (field.endsWith('_date') && isDay(value)) return formatDay(value)
  if (field.endsWith('_at') && !Number.isNaN(Date.parse(value))) return dayTimeOf(value)
  return value
}

function objectWords(field: string, value: Record<string, unknown>): string {
  if (field === 'recurrence') {
    const basis = value.basis === 'completion' ? 'completion' : 'due_date'
    return ruleWords(String(value.rrule), basis)
  }
  return cut(
    Object.entries(value)
      .map(([name, one]) => `${name} ${String(one)}`)
      .join(', '),
  )
}

const cut = (text: string): string =>
  text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1).trimEnd()}…` : text
