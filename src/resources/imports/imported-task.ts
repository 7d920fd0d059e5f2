import type { Task } from '#resources/tasks/fields.ts'

/**
 * A task of an imported file. People, tags and statuses are names, other tasks are keys of the
 * file.
 */
export interface ImportedTask {
  /** Its place in the file: the line of a table, or the ordinal number. */
  number: number
  /** The key by which other tasks of the file refer to it; null if none does. */
  key: string | null
  title: string
  description: string | null
  status: string | null
  /** Whether the file marks it as completed, beside its status; null if the file does not say. */
  completed: boolean | null
  priority: Task['priority']
  assignees: string[]
  tags: string[]
  project: string
  start_date: string | null
  due_date: string | null
  /** The time on that day, if the file has one. A row of the previous release lacks it. */
  due_at?: string | null
  estimate_seconds: number | null
  /** Keys of other tasks in the file. */
  parent: string | null
  blocked_by: string[]
  comments: ImportedComment[]
  /** How the task repeats. */
  recurrence?: Task['recurrence']
  /** What the file says and no other field of a task can hold. */
  custom_fields?: Task['custom_fields']
  metadata?: Task['metadata']
  /** Colors, such as `#2563eb`, of tags that the import creates. */
  tag_colors?: Record<string, string>
  /** Lines for the end of the description: what the file says and no field can hold. */
  notes?: string[]
}

/** A comment of an imported file. */
export interface ImportedComment {
  author: string | null
  at: string | null
  body: string
  /** The place among the comments of the one that this answers. */
  reply_to?: number
}

/** A task with nothing but its place in the file. */
export const emptyImportedTask = (number: number): ImportedTask => ({
  number,
  ...{ key: null, title: '', description: null, status: null, completed: null },
  ...{ priority: 'none', assignees: [], tags: [], project: '', start_date: null, due_date: null },
  ...{ estimate_seconds: null, parent: null, blocked_by: [], comments: [] },
})
