import { sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import { query, type Scoped } from '#storage/statement.ts'

/** The projects that the actor sees, once for each prefix that they have or had. */
export const prefixesSeen = query((db, $: Scoped) =>
  db
    .selectFrom('projects')
    .innerJoin('project_prefixes', (on) =>
      on
        .onRef('project_prefixes.workspace_id', '=', 'projects.workspace_id')
        .onRef('project_prefixes.project_id', '=', 'projects.id'),
    )
    .select(['projects.id', 'projects.prefix', 'project_prefixes.prefix as known_as'])
    .where('projects.workspace_id', '=', $.workspace_id)
    .where(visible($))
    .orderBy('projects.id')
    .orderBy('project_prefixes.prefix'),
)

type Candidates = { project_ids: readonly string[]; numbers: readonly number[] }

/** Undeleted tasks of some projects, which the actor is known to see, that have one of some numbers. */
export const tasksNumbered = query((db, $: Scoped<Candidates>, { among, amongNumbers }) =>
  db
    .selectFrom('tasks')
    .select(['id', 'project_id', 'number', 'title'])
    .where('workspace_id', '=', $.workspace_id)
    .where(among('tasks.project_id', $.project_ids))
    .where(amongNumbers('tasks.number', $.numbers))
    .where('deleted_at', 'is', null),
)

/** Who deleted a task last. */
export const lastDeletion = query((db, $: Scoped<{ task_id: string }>) =>
  db
    .selectFrom('activity')
    .select('actor_id')
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.task_id)
    .where('kind', '=', sql.lit('deleted'))
    .orderBy('id', 'desc')
    .limit(1),
)
