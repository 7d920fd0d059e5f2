import { type Kysely, sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { Tables } from '#db/schema/tables.ts'
import type { Activity } from './contract.ts'

type ActivityParams = Scoped<PageWindow & { task_id: string }>

/**
 * The history of a task; the caller has checked that the actor sees it. The first entry comes from
 * the task's own row and takes the task's ULID as its id, which sorts before all later entries.
 */
export const activityOfTask = memoizeByShape((order: ListOrder) =>
  query((db, $: ActivityParams, dialect) => {
    const rows = (db as Kysely<Tables>)
      .selectFrom(taskHistory(db as Kysely<Tables>, $).as('done'))
      .leftJoin('users', 'users.id', 'done.actor_id')
      .select(['done.id', 'done.kind', activityJson(dialect).as('json')])
    return paginate(rows, $, 'done.id', order)
  }),
)

/** Which of these projects the actor sees. */
export const visibleProjectsByIds = query((db, $: Scoped<{ ids: unknown }>, { inList }) =>
  db
    .selectFrom('projects')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('projects.id', $.ids))
    .where(isProjectVisible($)),
)

function taskHistory(db: Kysely<Tables>, $: ActivityParams) {
  const creation = db
    .selectFrom('tasks')
    .select([
      sql<string>`'act_' || substr(tasks.id, 5)`.as('id'),
      sql<string>`'created'`.as('kind'),
      sql<string>`'{}'`.as('changes'),
      sql<string>`'user'`.as('actor_type'),
      'created_by_id as actor_id',
      sql<string | null>`null`.as('credential_name'),
      'created_at',
    ])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.task_id)
  const laterEntries = db
    .selectFrom('activity')
    .select(['id', 'kind', 'changes', 'actor_type', 'actor_id', 'credential_name', 'created_at'])
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.task_id)
  return creation.unionAll(laterEntries as never)
}

/** The JSON of an entry. Needs the actor joined as users. */
const activityJson = ({ engine, json }: Dialect) => {
  const actor = json<Activity['actor']>('done', {
    type: sql.ref('done.actor_type'),
    id: sql.ref('done.actor_id'),
    name: sql.ref('users.name'),
    credential_name: 'plain',
  })
  return json<Activity>('done', {
    id: 'word',
    at: { word: [sql.ref('done.created_at')] },
    kind: 'word',
    actor: engine === 'sqlite' ? sql`json(${actor})` : sql`${actor}::json`,
    changes: 'json',
  })
}
