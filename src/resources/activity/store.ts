import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { ListRow } from '#core/page.ts'
import type { Dialect } from '#storage/dialect.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { query, type Scoped, shaped } from '#storage/statement.ts'
import type { Tables } from '#storage/tables.ts'
import type { Activity } from './contract.ts'

type Shown = SelectQueryBuilder<Tables, 'activity', ListRow<Activity>>
type $ = Scoped<Window & { task_id: string }>

/**
 * What was done to a task that the actor is known to see. Its creation comes from its own row, with
 * the task's ULID as its id: that is older than all that follows.
 */
export const activityOfTask = shaped((order: Order) =>
  query((db, $: $, dialect) => {
    const found = (db as Kysely<Tables>)
      .selectFrom(doneTo(db as Kysely<Tables>, $).as('done'))
      .leftJoin('users', 'users.id', 'done.actor_id')
      .select(['done.id', shown(dialect).as('json')])
    // It is of no table: what is done to a task is told by two.
    return paged(found as unknown as Shown, $, 'done.id', order)
  }),
)

function doneTo(db: Kysely<Tables>, $: $) {
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
  const rest = db
    .selectFrom('activity')
    .select(['id', 'kind', 'changes', 'actor_type', 'actor_id', 'credential_name', 'created_at'])
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.task_id)
  return creation.unionAll(rest as never)
}

/** As it is shown: the one place that says so. Needs the actor joined as users. */
const shown = ({ engine, json }: Dialect) => {
  const actor = json<Activity['actor']>('done', {
    type: sql.ref('done.actor_type'),
    id: sql.ref('done.actor_id'),
    name: sql.ref('users.name'),
    credential_name: 'plain',
  })
  return json<Activity>('done', {
    id: 'word',
    at: { word: sql.ref('done.created_at') },
    kind: 'word',
    actor: engine === 'sqlite' ? sql`json(${actor})` : sql`${actor}::json`,
    changes: 'json',
  })
}
