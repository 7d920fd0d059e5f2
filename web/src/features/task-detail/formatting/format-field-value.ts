import { cutText } from '#lib/cut-text.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatDayTime } from '../../../lib/dates/instant.ts'
import { formatDay, isPlainDate } from '../../../lib/dates/plain-date.ts'
import { formatList } from '../../../messages/plural.ts'
import { activityMessages } from '../../../messages/tasks/activity.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { formatCustomValue } from './custom-field-value.ts'
import { describeRecurrence } from './describe-recurrence.ts'

/** Resolves ids and keys to display names. */
export interface NameLookup {
  person: (id: string) => string
  tag: (id: string) => string
  task: (id: string) => string
  project: (id: string) => string
  status: (key: string) => string
}

const MAX_CHARS = 80

/** Formats the value of a task field for one line. */
export function formatFieldValue(field: string, value: unknown, names: NameLookup): string {
  if (value === null || value === undefined || value === '') return activityMessages.nothing
  if (Array.isArray(value)) {
    if (value.length === 0) return activityMessages.nothing
    return formatList(value.map((item) => formatText(field, String(item), names)))
  }
  if (typeof value === 'number') {
    return field.endsWith('_seconds') ? formatDuration(value) : String(value)
  }
  if (typeof value === 'boolean') return formatCustomValue(value)
  if (typeof value === 'object') return formatObject(field, value as Record<string, unknown>)
  return truncate(formatText(field, String(value), names))
}

function formatText(field: string, value: string, names: NameLookup): string {
  if (field === 'status') return names.status(value)
  if (field === 'priority')
    return (
      taskDetailMessages.priorities[value as keyof typeof taskDetailMessages.priorities] ?? value
    )
  if (field === 'project_id') return names.project(value)
  if (value.startsWith('usr_')) return names.person(value)
  if (value.startsWith('tag_')) return names.tag(value)
  if (value.startsWith('tsk_')) return names.task(value)
  if (field.endsWith('_date') && isPlainDate(value)) return formatDay(value)
  if (field.endsWith('_at') && !Number.isNaN(Date.parse(value))) return formatDayTime(value)
  return value
}

function formatObject(field: string, value: Record<string, unknown>): string {
  if (field === 'recurrence') {
    const basis = value.basis === 'completion' ? 'completion' : 'due_date'
    return describeRecurrence(String(value.rrule), basis)
  }
  const members = Object.entries(value).map(([name, entryValue]) => `${name} ${String(entryValue)}`)
  return members.length === 0 ? activityMessages.nothing : truncate(members.join(', '))
}

const truncate = (text: string): string =>
  text.length > MAX_CHARS ? `${cutText(text, MAX_CHARS - 1).trimEnd()}…` : text
