import { type RawBuilder, sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import { timeEntryJson } from '#db/tasks/time-entry-json.ts'
import { attachmentJson } from '#resources/attachments/store.ts'
import { commentJson } from '#resources/comments/store.ts'
import { visibleMemberJson } from '#resources/members/store.ts'
import { projectJson } from '#resources/projects/store.ts'
import { tagJson } from '#resources/tags/store.ts'
import { taskJson } from '#resources/tasks/task-json.ts'
import type { ChangeType } from './contract.ts'
import { RANK } from './position.ts'

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

type AfterKeys = { [T in ChangeType as `after_${T}_row`]: string }
type TombstoneKey = { after_record: string; after_project: string; after_person: string }
export type TailParams = { after: number; limit: number } & AfterKeys & TombstoneKey

const RECORD_TABLE: Record<Exclude<ChangeType, 'member'>, string> = {
  project: 'projects',
  tag: 'tags',
  task: 'tasks',
  comment: 'comments',
  time_entry: 'time_entries',
  attachment: 'attachments',
}

const CHILD_TYPES = new Set<ChangeType>(['comment', 'time_entry', 'attachment'])

/** The numbered rows of one table after a place, in order; read from an index of its own. */
function numberedRows(type: ChangeType, $: Scoped<TailParams>): RawBuilder<unknown> {
  const table = type === 'member' ? 'memberships' : RECORD_TABLE[type]
  const id = sql.ref(type === 'member' ? 'user_id' : 'id')
  const project =
    type === 'project' ? id : type === 'tag' || type === 'task' ? sql.ref('project_id') : sql`null`
  const task = type === 'task' ? id : CHILD_TYPES.has(type) ? sql.ref('task_id') : sql`null`
  return sql`select * from (
      select change_number as number, ${sql.lit(RANK[type])} as rank, ${id} as key, ${id} as id,
        ${project} as project_id, ${task} as task_id
      from ${sql.table(table)}
      where workspace_id = ${$.workspace_id} and change_number > 0
        and (change_number, ${id}) > (${$.after}, ${$[`after_${type}_row`]})
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
function recordOf(type: ChangeType, dialect: Dialect, $: Scoped): RawBuilder<unknown> {
  const byId = (from: RawBuilder<unknown>, json: RawBuilder<unknown>, id: string) =>
    sql`(select ${json} from ${from} where ${sql.ref(`${id.split('.')[0]}.workspace_id`)} = ${$.workspace_id}
        and ${sql.ref(id)} = entries.id)`
  const child = (json: RawBuilder<unknown>) =>
    sql`case when tasks.deleted_at is null then ${json} end`
  switch (type) {
    case 'member':
      return sql`(select ${visibleMemberJson(dialect, $)} from memberships
        join users on users.id = memberships.user_id
        where memberships.workspace_id = ${$.workspace_id} and memberships.user_id = entries.id
          and memberships.removed_at is null)`
    case 'project':
      return projectJson(dialect, $)
    case 'tag':
      return byId(sql`tags`, tagJson(dialect), 'tags.id')
    case 'task':
      return child(taskJson(dialect, $))
    case 'comment':
      return child(
        byId(
          sql`comments join users on users.id = comments.author_id`,
          commentJson(dialect),
          'comments.id',
        ),
      )
    case 'time_entry':
      return child(byId(sql`time_entries`, timeEntryJson(dialect), 'time_entries.id'))
    case 'attachment':
      return child(byId(sql`attachments`, attachmentJson(dialect, $), 'attachments.id'))
  }
}

/**
 * The next rows after a place, in order, of some types of record. One statement, so that all of it is
 * of one moment. It reads as many rows as it returns, which is why it also returns rows that the
 * viewer does not see.
 */
export const numberedChanges = memoizeByShape((types: readonly ChangeType[]) =>
  query((db, $: Scoped<TailParams>, dialect) => {
    const branches = [tombstoneRows($), ...types.map((type) => numberedRows(type, $))]
    const records = types.map(
      (type) => sql`when ${sql.lit(RANK[type])} then ${recordOf(type, dialect, $)}`,
    )
    return rawStatement<NumberedRow>(
      db,
      sql`with entries as (
          select * from (${sql.join(branches, sql` union all `)}) as merged
          order by number, rank, key limit ${$.limit})
        select entries.number, entries.rank, entries.key,
          coalesce(tasks.project_id, entries.project_id) as project_id,
          case when projects.id is not null or entries.rank = ${sql.lit(RANK.member)} then 1 else 0 end as visible,
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

/** A record of a snapshot, in the order of `key` and `id`. */
export interface WalkedRow {
  id: string
  /** The number of the task that it is or belongs to. */
  task: number
  /** The project of a comment by its author; elsewhere it is the one that is listed. */
  project_id?: string
  json: string | null
}

export type WalkParams = {
  author_id: string
  project_id: string
  task: number
  to: number
  id: string
  limit: number
}

/** Members after an id. */
export const membersToWalk = query((db, $: Scoped<WalkParams>, dialect) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', sql<number>`0`.as('task'), visibleMemberJson(dialect, $).as('json')])
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '>', $.id)
    .where('removed_at', 'is', null)
    .orderBy('user_id')
    .limit($.limit),
)

/** The next visible project after an id, or the one with the id of `project_id`. */
export const nextProject = memoizeByShape((isOne: boolean) =>
  query((db, $: Scoped<WalkParams>, dialect) =>
    db
      .selectFrom('projects')
      .select(['id', sql<number>`0`.as('task'), projectJson(dialect, $).as('json')])
      .where('workspace_id', '=', $.workspace_id)
      .where('id', isOne ? '=' : '>', $.project_id)
      .where(isProjectVisible($))
      .orderBy('id')
      .limit(1),
  ),
)

/** Tags of a visible project after an id. */
export const tagsAfter = query((db, $: Scoped<WalkParams>, dialect) =>
  db
    .selectFrom('tags')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tags.workspace_id')
        .onRef('projects.id', '=', 'tags.project_id'),
    )
    .select(['tags.id', sql<number>`0`.as('task'), tagJson(dialect).as('json')])
    .where('tags.workspace_id', '=', $.workspace_id)
    .where('tags.project_id', '=', $.project_id)
    .where('tags.id', '>', $.id)
    .where(isProjectVisible($))
    .orderBy('tags.id')
    .limit($.limit),
)

/** Tasks of a visible project after a number, deleted ones without their record. */
export const tasksAfter = query((db, $: Scoped<WalkParams>, dialect) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
        .onRef('projects.id', '=', 'tasks.project_id'),
    )
    .select([
      'tasks.id',
      'tasks.number as task',
      sql<string | null>`case when tasks.deleted_at is null then ${taskJson(dialect, $)} end`.as(
        'json',
      ),
    ])
    .where('tasks.workspace_id', '=', $.workspace_id)
    .where('tasks.project_id', '=', $.project_id)
    .where('tasks.number', '>', $.task)
    .where(isProjectVisible($))
    .orderBy('tasks.number')
    .limit($.limit),
)

/** The visible comments of a person after an id. */
export const commentsOfAuthorAfter = query((db, $: Scoped<WalkParams>, dialect) =>
  rawStatement<WalkedRow>(
    db,
    sql`select comments.id, 0 as task, tasks.project_id, ${commentJson(dialect)} as json
      from comments
      join users on users.id = comments.author_id
      join tasks on tasks.workspace_id = comments.workspace_id and tasks.id = comments.task_id
      join projects on projects.workspace_id = tasks.workspace_id and projects.id = tasks.project_id
      where comments.workspace_id = ${$.workspace_id} and comments.author_id = ${$.author_id}
        and comments.id > ${$.id} and tasks.deleted_at is null and ${isProjectVisible($)}
      order by comments.id limit ${$.limit}`,
  ),
)

export type ChildType = 'comment' | 'time_entry' | 'attachment'

/** What belongs to the tasks with the numbers from `task` to `to`, after a record. */
export const childrenAfter = memoizeByShape((type: ChildType) =>
  query((db, $: Scoped<WalkParams>, dialect) => {
    const table = RECORD_TABLE[type]
    const from = sql.table(table)
    const json = {
      comment: () => commentJson(dialect),
      time_entry: () => timeEntryJson(dialect),
      attachment: () => attachmentJson(dialect, $),
    }[type]()
    const author = type === 'comment' ? sql`join users on users.id = comments.author_id` : sql``
    return rawStatement<WalkedRow>(
      db,
      sql`select ${sql.ref(`${table}.id`)} as id, tasks.number as task, ${json} as json
        from tasks
        join projects on projects.workspace_id = tasks.workspace_id and projects.id = tasks.project_id
        join ${from} on ${sql.ref(`${table}.workspace_id`)} = tasks.workspace_id
          and ${sql.ref(`${table}.task_id`)} = tasks.id
        ${author}
        where tasks.workspace_id = ${$.workspace_id} and tasks.project_id = ${$.project_id}
          and tasks.number >= ${$.task} and tasks.number <= ${$.to}
          and (tasks.number, ${sql.ref(`${table}.id`)}) > (${$.task}, ${$.id})
          and tasks.deleted_at is null and ${isProjectVisible($)}
        order by tasks.number, ${sql.ref(`${table}.id`)} limit ${$.limit}`,
    )
  }),
)
