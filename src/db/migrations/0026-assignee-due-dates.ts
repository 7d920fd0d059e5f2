import type { Migration } from '../migrate/migrations.ts'

/** The new due date of a task, for the rows of its assignees. */
const COPY_DUE_DATE = `update task_assignees set due_date = new.due_date
    where workspace_id = new.workspace_id and task_id = new.id`

/** The due date of the task of a row of `task_assignees`. */
const dueDateOf = (row: string) => `(select tasks.due_date from tasks
    where tasks.workspace_id = ${row}.workspace_id and tasks.id = ${row}.task_id)`

/**
 * The due date of a task beside each of its assignees, so that the tasks of one person are read in
 * the order of due dates. Rows that the previous release inserts have a dash: a trigger replaces it on
 * PostgreSQL, where that release may be serving, and the next start on SQLite
 * (src/db/sqlite/assignee-due-dates.ts).
 */
export const assigneeDueDateMigrations: readonly Migration[] = [
  {
    name: '0026-assignee-due-dates',
    sql: "alter table task_assignees add column due_date text default '-';",
    sqlite: `
create trigger tasks_due_date after update of due_date on tasks
when old.due_date is distinct from new.due_date begin
  ${COPY_DUE_DATE};
end;
`,
    postgres: `
create function task_assignees_due_date() returns trigger as $$ begin
  new.due_date := ${dueDateOf('new')};
  return new;
end $$ language plpgsql;
create trigger task_assignees_due_date before insert on task_assignees for each row
  when (new.due_date = '-') execute function task_assignees_due_date();
create function tasks_due_date() returns trigger as $$ begin
  ${COPY_DUE_DATE};
  return null;
end $$ language plpgsql;
create trigger tasks_due_date after update of due_date on tasks for each row
  when (old.due_date is distinct from new.due_date) execute function tasks_due_date();
`,
  },
  {
    name: '0026-assignee-due-dates-empty',
    index: {
      name: 'task_assignees_empty_due',
      table: 'task_assignees',
      columns: "(workspace_id, user_id, task_id) where due_date = '-'",
    },
  },
  {
    name: '0026-assignee-due-dates-fill',
    // The outer condition: meanwhile the trigger may have written a newer date.
    fill: `update task_assignees set due_date = ${dueDateOf('task_assignees')}
      where due_date = '-' and (workspace_id, user_id, task_id) in (
        select workspace_id, user_id, task_id from task_assignees where due_date = '-' limit {batch})`,
  },
  {
    name: '0026-assignees-by-due-date',
    index: {
      name: 'task_assignees_due',
      table: 'task_assignees',
      columns: '(workspace_id, user_id, due_date, task_id)',
    },
  },
]
