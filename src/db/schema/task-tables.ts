import type { Generated } from 'kysely'
import type { Actor } from '#core/actor.ts'
import type { ActivityKind } from '#wire/activity-kinds.ts'

/* Rows of tasks and of what belongs to a task; `tables.ts` has the others. */

export interface TaskRow {
  /** SQLite only: the row of the search index. */
  search_id: Generated<number>
  workspace_id: string
  id: string
  project_id: string
  number: number
  title: string
  description: string | null
  status: string
  status_category: 'backlog' | 'unstarted' | 'started' | 'completed' | 'canceled'
  completed_at: string | null
  completed_by_id: string | null
  canceled_at: string | null
  priority: 'none' | 'low' | 'medium' | 'high' | 'urgent'
  /** 0 none … 4 urgent, to sort by. */
  priority_rank: number
  /** JSON arrays in ascending order; task_assignees, task_tags and task_blocks index the same ids. */
  assignee_ids: string
  tag_ids: string
  blocked_by_ids: string
  blocking_ids: string
  start_date: string | null
  due_date: string | null
  due_at: string | null
  parent_id: string | null
  position: string
  estimate_seconds: number | null
  time_spent_seconds: number
  /** JSON of {rrule, basis}. */
  recurrence: string | null
  recurred_from_id: string | null
  custom_fields: string
  external_source: string | null
  external_id: string | null
  metadata: string
  comment_count: number
  attachment_count: number
  subtask_count: number
  completed_subtask_count: number
  version: number
  created_by_id: string
  created_at: string
  updated_at: string
  deleted_at: string | null
  /** The operation that deleted it: restoring also restores all tasks deleted by the same one. */
  deleted_by_operation_id: string | null
}

/** The search words of a task; on SQLite an FTS5 table with only `rowid` and `words`. */
export interface TaskWordsRow {
  rowid: number
  workspace_id: string
  task_id: string
  words: string
}

/** The search words of a comment. */
export interface CommentWordsRow {
  rowid: Generated<number>
  workspace_id: string
  comment_id: string
  words: string
}

export interface CommentRow {
  workspace_id: string
  id: string
  task_id: string
  author_id: string
  body: string
  parent_id: string | null
  /** JSON array of user ids. */
  mentions: string
  source: string
  edited_at: string | null
  created_at: string
  updated_at: string
}

export interface ActivityRow {
  workspace_id: string
  id: string
  task_id: string
  kind: ActivityKind
  /** JSON of the changes, as in an event. */
  changes: string
  actor_type: Actor['type']
  actor_id: string | null
  credential_name: string | null
  created_at: string
}

export interface AttachmentRow {
  workspace_id: string
  id: string
  task_id: string
  filename: string
  content_type: string
  size_bytes: number
  /** Lower-case hex. */
  sha256: string
  created_by_id: string
  created_at: string
}

export interface TimeEntryRow {
  workspace_id: string
  id: string
  task_id: string
  user_id: string
  started_at: string | null
  ended_at: string | null
  /** Null while the timer runs. */
  duration_seconds: number | null
  spent_on: string
  note: string | null
  billable: number
  source: string
  created_by_id: string
  created_at: string
  updated_at: string
}
