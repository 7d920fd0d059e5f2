import { visible } from '#resources/projects/visible.ts'
import { query, type Scoped } from '#storage/statement.ts'

/** The ids of all projects that the actor sees. */
export const projectsSeen = query((db, $: Scoped) =>
  db
    .selectFrom('projects')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where(visible($)),
)
