import { command, query, row, type Scoped } from '#storage/statement.ts'

type Numbered = Scoped<{ project_id: string; number: number; task_id: string }>

/** Keeps a number leading to a task that leaves its project. */
export const keepNumber = command((db, $: Numbered) =>
  db.insertInto('task_numbers').values(row($, 'workspace_id', 'project_id', 'number', 'task_id')),
)

/** The number that a task had in a project before it left. */
export const formerNumber = query((db, $: Scoped<{ project_id: string; task_id: string }>) =>
  db
    .selectFrom('task_numbers')
    .select('number')
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.task_id)
    .where('project_id', '=', $.project_id),
)

/** For a task that comes back: the number is its present one again. */
export const forgetNumber = command((db, $: Scoped<{ project_id: string; number: number }>) =>
  db
    .deleteFrom('task_numbers')
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id)
    .where('number', '=', $.number),
)
