import type { StatusCategory } from '#resources/projects/contract.ts'
import { COLUMN_SOURCES, PRIORITIES, type Task } from '../fields.ts'
import type { SettableTaskColumns } from '../store.ts'

/** The status of a task, and the fields that follow from it. */
export type StatusFields = Pick<
  Task,
  'status' | 'status_category' | 'completed_at' | 'completed_by_id' | 'canceled_at'
>

/** Converts fields to columns. The lists of dependencies are built from their links. */
export function toTaskColumns(fields: Partial<Task>): Partial<SettableTaskColumns> {
  const columns: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const source = isColumn(name) ? COLUMN_SOURCES[name] : undefined
    if (source === undefined || name === 'blocked_by_ids' || name === 'blocking_ids') continue
    columns[name] = source === 'json' && value !== null ? JSON.stringify(value) : value
  }
  if (fields.priority) columns.priority_rank = PRIORITIES.indexOf(fields.priority)
  return columns
}

const isColumn = (name: string): name is keyof typeof COLUMN_SOURCES => name in COLUMN_SOURCES

/** The project that a task is in, or moves to, with what rules about tasks need. */
export interface TaskProjectContext {
  project_id: string
  prefix: string
  archived_at: string | null
  statuses: readonly { key: string; category: StatusCategory }[]
}
