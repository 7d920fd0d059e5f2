import { type RawBuilder, sql } from 'kysely'
import { type Actor, viewerId } from '#core/actor.ts'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import { recordOf } from '#resources/nouns.ts'
import type { RecordType } from '#wire/scopes.ts'

/** Where the feed of a workspace begins and ends, and who asks. */
export interface FeedState {
  newest: number
  /** Tombstones up to this number have expired. */
  tombstones_from: number
  /** Changes when the database is restored. */
  history: string | null
  /** The role that the person has now; null for nobody. */
  role: string | null
  /** The origin of the addresses in records. */
  base_url: string
}

export const feedState = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select((is) => [
      'last_change_number as newest',
      'tombstones_from',
      sql<string>`${$.base_url}`.as('base_url'),
      is
        .selectFrom('installation')
        .select('value')
        .where('name', '=', 'change_history')
        .$asScalar()
        .as('history'),
      is
        .selectFrom('memberships')
        .select('role')
        .where('memberships.workspace_id', '=', $.workspace_id)
        .where('user_id', '=', $.viewer_id)
        .where('removed_at', 'is', null)
        .$asScalar()
        .as('role'),
    ])
    .where('id', '=', $.workspace_id),
)

/**
 * Names what change numbers belong to: the state of the database, the workspace, and who reads it;
 * also the addresses in its records.
 */
export const historyOf = (actor: Actor, { history, base_url }: FeedState): string =>
  [actor.workspace_id, viewerId(actor), history, base_url].join(' ')

/** A row of the feed, whether the viewer sees it or not. */
export interface NumberedRow {
  number: number
  rank: number
  /** Of a tombstone: record, project and person, separated by spaces. */
  key: string
  project_id: string | null
  /** 1 if the viewer sees its project, or needs none. */
  visible: number
  /** The record; null if it is deleted. */
  json: string | null
}

/** For each type of record, the key after which its rows begin. */
export type RowKeys = { [T in RecordType as `after_${T}_row`]: string }
type TombstoneKey = { after_record: string; after_project: string; after_person: string }
export type TailParams = { after: number; limit: number } & RowKeys & TombstoneKey

/**
 * The numbered rows of one table after a place, in order; read from an index of its own. The condition of
 * that index comes last, because SQLite begins at the first lower bound that it comes to.
 */
function numberedRows(type: RecordType, $: Scoped<TailParams>): RawBuilder<unknown> {
  const { table, rank, of } = recordOf(type)
  const id = sql.ref(type === 'member' ? 'user_id' : 'id')
  const project = type === 'project' ? id : of === 'project' ? sql.ref('project_id') : sql`null`
  const task = type === 'task' ? id : of === 'task' ? sql.ref('task_id') : sql`null`
  return sql`select * from (
      select change_number as number, ${sql.lit(rank)} as rank, ${id} as key, ${id} as id,
        ${project} as project_id, ${task} as task_id
      from ${sql.table(table)}
      where workspace_id = ${$.workspace_id}
        and (change_number, ${id}) > (${$.after}, ${$[`after_${type}_row`]})
        and change_number > 0
      order by change_number, ${id} limit ${$.limit}) as ${sql.table(`${type}_rows`)}`
}

const tombstoneRows = ($: Scoped<TailParams>): RawBuilder<unknown> => sql`select * from (
      select change_number as number, 0 as rank,
        record_id || ' ' || project_id || ' ' || user_id as key, record_id as id,
        project_id, null as task_id
      from tombstones
      where workspace_id = ${$.workspace_id}
        and (change_number, record_id, project_id, user_id)
          > (${$.after}, ${$.after_record}, ${$.after_project}, ${$.after_person})
        and user_id in ('', ${$.viewer_id})
      order by change_number, record_id, project_id, user_id limit ${$.limit}) as tombstone_rows`

/** The record of a row, by its type. Needs tasks and projects joined. */
function jsonOf(type: RecordType, dialect: Dialect, $: Scoped): RawBuilder<unknown> {
  const { table, of, join = sql``, json } = recordOf(type)
  if (type === 'member')
    return sql`(select ${json(dialect, $)} from memberships
      join users on users.id = memberships.user_id
      where memberships.workspace_id = ${$.workspace_id} and memberships.user_id = entries.id
        and memberships.removed_at is null)`
  if (type === 'project') return json(dialect, $)
  const record =
    type === 'task'
      ? json(dialect, $)
      : sql`(select ${json(dialect, $)} from ${sql.table(table)} ${join}
        where ${sql.ref(`${table}.workspace_id`)} = ${$.workspace_id}
          and ${sql.ref(`${table}.id`)} = entries.id)`
  const isOfTask = type === 'task' || of === 'task'
  return isOfTask ? sql`case when tasks.deleted_at is null then ${record} end` : record
}

/**
 * The next rows after a place, in order, of some types of record. One statement, so that all of it is
 * of one moment. It reads as many rows as it returns, which is why it also returns rows that the
 * viewer does not see.
 */
export const numberedChanges = memoizeByShape((types: readonly RecordType[]) =>
  query((db, $: Scoped<TailParams>, dialect) => {
    const branches = [tombstoneRows($), ...types.map((type) => numberedRows(type, $))]
    const records = types.map(
      (type) => sql`when ${sql.lit(recordOf(type).rank)} then ${jsonOf(type, dialect, $)}`,
    )
    return rawStatement<NumberedRow>(
      db,
      sql`with entries as (
          select * from (${sql.join(branches, sql` union all `)}) as merged
          order by number, rank, key limit ${$.limit})
        select entries.number, entries.rank, entries.key,
          coalesce(tasks.project_id, entries.project_id) as project_id,
          case when projects.id is not null or entries.rank = ${sql.lit(recordOf('member').rank)} then 1 else 0 end as visible,
          case entries.rank ${sql.join(records, sql` `)} end as json
        from entries
        left join tasks on tasks.workspace_id = ${$.workspace_id} and tasks.id = entries.task_id
        left join projects on projects.workspace_id = ${$.workspace_id}
          and projects.id = coalesce(tasks.project_id, entries.project_id)
          and ${isProjectVisible($)}
        order by entries.number, entries.rank, entries.key`,
    )
  }),
)
