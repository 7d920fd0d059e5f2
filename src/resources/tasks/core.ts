import type { StatusCategory } from '#resources/projects/contract.ts'
import { PRIORITIES, type Task } from './fields.ts'
import type { Settable } from './store.ts'

/** The fields of a task that a client decides on; everything else follows from them. */
export type Core = Pick<Task, (typeof CORE)[number]>

export const CORE = [
  'title',
  'description',
  'status',
  'priority',
  'assignee_ids',
  'tag_ids',
  'start_date',
  'due_date',
  'due_at',
  'parent_id',
  'estimate_seconds',
  'blocked_by_ids',
  'recurrence',
  'custom_fields',
  'external_source',
  'external_id',
  'metadata',
] as const

/** What a new task is where the request does not say. */
export const EMPTY: Omit<Core, 'title' | 'status'> = {
  description: null,
  priority: 'none',
  assignee_ids: [],
  tag_ids: [],
  start_date: null,
  due_date: null,
  due_at: null,
  parent_id: null,
  estimate_seconds: null,
  blocked_by_ids: [],
  recurrence: null,
  custom_fields: {},
  external_source: null,
  external_id: null,
  metadata: {},
}

/** When a task was completed and by whom, when cancelled: what its status entails. */
export type Stage = Pick<
  Task,
  'status' | 'status_category' | 'completed_at' | 'completed_by_id' | 'canceled_at'
>

/** The columns that hold a field as it is, and those that hold it as JSON. */
const AS_IS = [
  'title',
  'description',
  'start_date',
  'due_date',
  'due_at',
  'parent_id',
  'estimate_seconds',
  'external_source',
  'external_id',
] as const
const AS_JSON = ['assignee_ids', 'tag_ids', 'recurrence', 'custom_fields', 'metadata'] as const

/** Fields in the form of their columns. Dependencies are made from their links, the status by its stage. */
export function columnsOf(fields: Partial<Core>): Partial<Settable> {
  const columns: Record<string, unknown> = {}
  for (const name of AS_IS) if (name in fields) columns[name] = fields[name]
  for (const name of AS_JSON) {
    const value = fields[name]
    if (value !== undefined) columns[name] = value === null ? null : JSON.stringify(value)
  }
  if (fields.priority) {
    columns.priority = fields.priority
    columns.priority_rank = PRIORITIES.indexOf(fields.priority)
  }
  return columns
}

/** The project that a task is in or comes into, as far as its tasks are concerned. */
export interface Setting {
  project_id: string
  archived_at: string | null
  statuses: readonly { key: string; category: StatusCategory }[]
}
