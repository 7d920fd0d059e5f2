import type pg from 'pg'
import type { TestWorkspace } from '../world/test-workspace.ts'

/** Inserts tasks as an older release left them; tests recognize them by title and version. */
export async function insertOldTasks(
  admin: pg.Client,
  { workspace, project, people }: TestWorkspace,
  count: number,
): Promise<void> {
  await admin.query(
    `insert into tasks (workspace_id, id, project_id, number, title, status, status_category,
      priority, priority_rank, assignee_ids, tag_ids, blocked_by_ids, blocking_ids, position,
      time_spent_seconds, custom_fields, metadata, comment_count, attachment_count, subtask_count,
      completed_subtask_count, version, created_by_id, created_at, updated_at)
    select $1, 'tsk_' || n, $2, n, 'Old', 'todo', 'unstarted', 'none', 0, '[]', '[]', '[]', '[]',
      n::text, 0, '{}', '{}', 0, 0, 0, 0, 7, $3, '', '' from generate_series(1, $4::int) n`,
    [workspace, project, people.owner, count],
  )
}
