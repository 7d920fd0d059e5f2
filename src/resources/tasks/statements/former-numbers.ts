import { command, pickSlots, query, type Scoped } from '#db/core/statement.ts'

type FormerNumberParams = Scoped<{ project_id: string; number: number; task_id: string }>

/** Keeps the number of a task that leaves its project, so that it still resolves to the task. */
export const insertFormerNumber = command((db, $: FormerNumberParams) =>
  db
    .insertInto('task_numbers')
    .values(pickSlots($, 'workspace_id', 'project_id', 'number', 'task_id')),
)

type FormerNumbersParams = Scoped<{ project_id: string; task_ids: readonly string[] }>

/** The numbers that tasks had in a project before they left it. */
export const formerNumbers = query((db, $: FormerNumbersParams, { inList }) =>
  db
    .selectFrom('task_numbers')
    .select(['task_id', 'number'])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('task_id', $.task_ids))
    .where('project_id', '=', $.project_id),
)

/** Removes a former number, because its task has come back and has that number again. */
export const removeFormerNumber = command((db, $: Scoped<{ project_id: string; number: number }>) =>
  db
    .deleteFrom('task_numbers')
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id)
    .where('number', '=', $.number),
)
