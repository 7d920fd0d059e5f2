import { query, type Scoped } from '#db/core/statement.ts'

/** The events of an operation in the log. */
export const operationRange = query((db, $: Scoped<{ id: string }>) =>
  db.selectFrom('operations').select(['first_sequence', 'last_sequence']).where('id', '=', $.id),
)
