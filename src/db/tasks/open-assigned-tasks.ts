import type { QueryBuilder, Scoped } from '../core/statement.ts'

/**
 * The open tasks that are assigned to a user, with their projects; deleted ones are left out. Cross
 * joins keep SQLite from starting at the projects, which would read and sort all tasks.
 */
export const openAssignedTasks = (db: QueryBuilder, $: Scoped, user_id: string) =>
  db
    .selectFrom('task_assignees')
    .crossJoin('tasks')
    .crossJoin('projects')
    .whereRef('tasks.workspace_id', '=', 'task_assignees.workspace_id')
    .whereRef('tasks.id', '=', 'task_assignees.task_id')
    .whereRef('projects.workspace_id', '=', 'tasks.workspace_id')
    .whereRef('projects.id', '=', 'tasks.project_id')
    .where('task_assignees.workspace_id', '=', $.workspace_id)
    .where('task_assignees.user_id', '=', user_id)
    .where('tasks.deleted_at', 'is', null)
    .where('tasks.status_category', 'in', ['backlog', 'unstarted', 'started'])
