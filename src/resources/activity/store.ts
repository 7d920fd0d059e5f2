import { type Kysely, sql } from 'kysely'
import type { ReadTx } from '#core/transaction.ts'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { Tables } from '#db/schema/tables.ts'
import { fromJson, type Json, toJson } from '#lib/json.ts'
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
    .where('id', '=', $.task_id)
  const laterEntries = db
    .selectFrom('activity')
    .select(['id', 'kind', 'changes', 'actor_type', 'actor_id', 'credential_name', 'created_at'])
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

/** Fields of a task whose values mean something only in its project, and tell of it. */
const PROJECT_FIELDS = [
  'project_id',
  'number',
  'short_id',
  'status',
  'tag_ids',
  'parent_id',
  'position',
] as const

interface ListedActivity {
  id: string
  kind: string
  json: Json<Activity>
}

/**
 * Empties in the moves of a task what tells of a project that the actor does not see: those who see
 * a task may not see the project that it came from.
 */
export async function hideFormerProjects(tx: ReadTx, rows: readonly ListedActivity[]) {
  const moves = new Map(
    rows.flatMap(({ id, kind, json }) => (kind === 'moved' ? [[id, fromJson(json)]] : [])),
  )
  if (moves.size === 0) return rows
  const ids = [...moves.values()].flatMap(({ changes: { project_id } }) => [
    project_id?.from,
    project_id?.to,
  ])
  const visible = new Set<unknown>(
    (await tx.all(visibleProjectsByIds, { ids: [...new Set(ids)] })).map(({ id }) => id),
  )
  return rows.map((row) => {
    const move = moves.get(row.id)
    return move ? { ...row, json: toJson(withoutInvisible(move, visible)) } : row
  })
}

function withoutInvisible(move: Activity, visible: ReadonlySet<unknown>): Activity {
  const changes = { ...move.changes }
  for (const side of ['from', 'to'] as const) {
    if (visible.has(move.changes.project_id?.[side])) continue
    for (const field of PROJECT_FIELDS) {
      if (changes[field]) changes[field] = { ...changes[field], [side]: null }
    }
  }
  return { ...move, changes }
}
