import { isProjectVisible } from '#db/access/project-visibility.ts'
import { query, type Scoped } from '#db/core/statement.ts'

/** The ids of the projects that the actor sees. */
export const visibleProjectIds = query((db, $: Scoped) =>
  db
    .selectFrom('projects')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where(isProjectVisible($)),
)
