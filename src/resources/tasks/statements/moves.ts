import { sql } from 'kysely'
import type { FieldChanges } from '#core/transaction.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import type { Json } from '#lib/json.ts'

/** The newest move of a task to another project, in its activity. */
export const lastMove = query((db, $: Scoped<{ task_id: string }>) =>
  db
    .selectFrom('activity')
    .select(['created_at', sql<Json<FieldChanges>>`changes`.as('changes')])
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.task_id)
    .where('kind', '=', 'moved')
    .orderBy('id', 'desc')
    .limit(1),
)

type MovesAtParams = Scoped<{ task_ids: readonly string[]; created_at: string }>

/** The moves of tasks at one moment, which is that of the operation that moved them together. */
export const movesAt = query((db, $: MovesAtParams, { inList }) =>
  db
    .selectFrom('activity')
    .select(['task_id', sql<Json<FieldChanges>>`changes`.as('changes')])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('task_id', $.task_ids))
    .where('created_at', '=', $.created_at)
    .where('kind', '=', 'moved'),
)

type PositionParams = Scoped<{ project_id: string; positions: readonly string[] }>

/** Which of these ranks a task of the project has, deleted or not. */
export const takenPositions = query((db, $: PositionParams, { inList }) =>
  db
    .selectFrom('tasks')
    .select('position')
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id)
    .where(inList('position', $.positions)),
)
