import { command, query, type Scoped } from '#storage/statement.ts'

type Person = Scoped<{ project_id: string; user_id: string }>

/** An active member who sees the project, or will when leading it. */
export const possibleLead = query((db, $: Person) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id)
    .where('removed_at', 'is', null)
    .where((is) =>
      is.or([
        is('role', '<>', 'guest'),
        is.exists(
          is
            .selectFrom('project_people as people')
            .select('people.user_id')
            .where('people.workspace_id', '=', $.workspace_id)
            .where('people.project_id', '=', $.project_id)
            .whereRef('people.user_id', '=', 'memberships.user_id'),
        ),
      ]),
    ),
)

export const dropPerson = command((db, $: Person) =>
  db
    .deleteFrom('project_people')
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id)
    .where('user_id', '=', $.user_id),
)
