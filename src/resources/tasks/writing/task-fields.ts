import type { StatusCategory } from '#resources/projects/contract.ts'
import { PRIORITIES, type Task } from '../fields.ts'
import type { SettableTaskColumns } from '../store.ts'

/** The fields of a task that clients set. All other fields are derived. */
export type TaskFields = Pick<Task, (typeof TASK_FIELDS)[number]>

export const TASK_FIELDS = [
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

/** The fields of a new task that the request leaves out. */
export const DEFAULT_TASK_FIELDS: Omit<TaskFields, 'title' | 'status'> = {
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

/** The status of a task, and the fields that follow from it. */
export type StatusFields = Pick<
  Task,
  'status' | 'status_category' | 'completed_at' | 'completed_by_id' | 'canceled_at'
>

/** Fields whose column holds the plain value, and fields whose column holds JSON. */
const PLAIN_COLUMNS = [
  'project_id',
  'number',
  'position',
  'title',
  'description',
  'status',
  'status_category',
  'completed_at',
  'completed_by_id',
  'canceled_at',
  'start_date',
  'due_date',
  'due_at',
  'parent_id',
  'estimate_seconds',
  'external_source',
  'external_id',
] as const
const JSON_COLUMNS = ['assignee_ids', 'tag_ids', 'recurrence', 'custom_fields', 'metadata'] as const

/** Converts fields to columns. The lists of dependencies are built from their links. */
export function toTaskColumns(fields: Partial<Task>): Partial<SettableTaskColumns> {
  const columns: Record<string, unknown> = {}
  for (const name of PLAIN_COLUMNS) if (name in fields) columns[name] = fields[name]
  for (const name of JSON_COLUMNS) {
    const value = fields[name]
    if (value !== undefined) columns[name] = value === null ? null : JSON.stringify(value)
  }
  if (fields.priority) {
    columns.priority = fields.priority
    columns.priority_rank = PRIORITIES.indexOf(fields.priority)
  }
  return columns
}

/** The project that a task is in, or moves to, with what rules about tasks need. */
export interface TaskProjectContext {
  project_id: string
  prefix: string
  archived_at: string | null
  statuses: readonly { key: string; category: StatusCategory }[]
}
