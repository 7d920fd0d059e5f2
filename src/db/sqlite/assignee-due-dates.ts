import type { DatabaseSync } from 'node:sqlite'

/**
 * Fills the due dates beside assignees where an older release has worked on the database since
 * migration 0026. On PostgreSQL a trigger does so, because that release works there at the same time.
 * A trigger on SQLite would cost each task with an assignee a quarter more: it makes the insert a nested
 * transaction, in which the full-text index writes its words at once.
 */
export function fillAssigneeDueDates(db: DatabaseSync): void {
  const empty = db.prepare("select 1 from task_assignees where due_date = '-' limit 1").get()
  if (!empty) return
  db.exec(`update task_assignees set due_date = (select tasks.due_date from tasks
      where tasks.workspace_id = task_assignees.workspace_id and tasks.id = task_assignees.task_id)
    where due_date = '-'`)
}
