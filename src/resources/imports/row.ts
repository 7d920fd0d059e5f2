import type { Task } from '#resources/tasks/fields.ts'

/** A task as any file tells it: names of its own for people, tags and statuses, keys for other tasks. */
export interface Row {
  /** Where it stands in its file: a line of a table, or the how manieth. */
  number: number
  /** What other rows of the file call it; null: nothing refers to it. */
  key: string | null
  title: string
  description: string | null
  status: string | null
  /** What the file says beside a status; null: nothing. */
  completed: boolean | null
  priority: Task['priority']
  assignees: string[]
  tags: string[]
  project: string
  start_date: string | null
  due_date: string | null
  estimate_seconds: number | null
  /** Keys of other rows. */
  parent: string | null
  blocked_by: string[]
  comments: Said[]
}

/** A comment as a file tells it. */
export interface Said {
  author: string | null
  at: string | null
  body: string
}

/** A row of which nothing is known yet. */
export const emptyRow = (number: number): Row => ({
  number,
  ...{ key: null, title: '', description: null, status: null, completed: null },
  ...{ priority: 'none', assignees: [], tags: [], project: '', start_date: null, due_date: null },
  ...{ estimate_seconds: null, parent: null, blocked_by: [], comments: [] },
})
