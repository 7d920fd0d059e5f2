import { type RawBuilder, sql } from 'kysely'
import { type Actor, viewerId } from '#core/actor.ts'
import type { ReadTx } from '#core/transaction.ts'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import { RANKED_TYPES, recordOf } from '#resources/nouns.ts'
import type { RecordType } from '#wire/scopes.ts'

/** Of the changes that have the same number, those that say what is gone come before all records. */
export const TOMBSTONE_RANK = 0

/** After everything with a number, and greater than the rank of any record. */
const END_RANK = 9

/** A place among the numbered changes: the number, the rank and the key of the last change sent. */
export type Place = [number: number, rank: number, key: string]

/** A place in a list of all records, which a snapshot or a `reset` begins. */
export interface Walk {
  /**
   * `all`: the members and all projects. `members`: these alone. Else the id of a project, or of a
   * person whose comments are listed.
   */
  of: string
  /** The project whose records are listed; `''` while the members are. */
  project: string
  stage: WalkStage
  /** The tasks after number `from` and up to `to` are listed, next is what belongs to them. */
  from: number
  to: number
  /** The last record of the stage: the number of its task, and its id. */
  task: number
  id: string
}

type WalkStage = 'author' | RecordType

/** Where a reader of the feed stands. */
export interface FeedPosition {
  /** The history that the numbers belong to. */
  history: string
  place: Place
  /** Records to list before the numbered changes go on. */
  walk?: Walk
}

export const endOf = (number: number): Place => [number, END_RANK, '']

export const isEnd = ([, rank]: Place): boolean => rank === END_RANK

/** The key after which the rows of a rank begin that have the number of the place. */
export function keyAfter([, rank, key]: Place, of: number): string {
  if (of === rank) return key
  return of > rank ? '' : AFTER_ALL_KEYS
}

/** Greater than every key: ids are ASCII letters, digits and `_`. */
const AFTER_ALL_KEYS = '~'

export function startWalk(of: string): Walk {
  const start = { of, project: '', from: 0, to: 0, task: 0, id: '' }
  if (of.startsWith('prj_')) return { ...start, project: of, stage: 'project' }
  return { ...start, stage: of.startsWith('usr_') ? 'author' : 'member' }
}

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
        .where('user_id', '=', $.viewer_id)
        .where('removed_at', 'is', null)
        .$asScalar()
        .as('role'),
    ]),
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

/** A record of a snapshot, in the order of `key` and `id`. */
interface WalkedRow {
  id: string
  /** The number of the task that it is or belongs to. */
  task: number
  /** The project of a comment by its author; elsewhere it is the one that is listed. */
  project_id?: string
  json: string | null
}

type WalkParams = {
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
    .select(['users.id', sql<number>`0`.as('task'), recordOf('member').json(dialect, $).as('json')])
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
      .select(['id', sql<number>`0`.as('task'), recordOf('project').json(dialect, $).as('json')])
      .where('id', isOne ? '=' : '>', $.project_id)
      .where(isProjectVisible($))
      .orderBy('id')
      .limit(1),
  ),
)

/** The records of a type that belong to a visible project, after an id. */
export const recordsOfProjectAfter = memoizeByShape((type: RecordType) =>
  query((db, $: Scoped<WalkParams>, dialect) => {
    const { table, json, join = sql`` } = recordOf(type)
    const id = sql.ref(`${table}.id`)
    return rawStatement<WalkedRow>(
      db,
      sql`select ${id} as id, 0 as task, ${json(dialect, $)} as json
        from ${sql.table(table)} ${join} join projects
          on projects.workspace_id = ${sql.ref(`${table}.workspace_id`)}
          and projects.id = ${sql.ref(`${table}.project_id`)}
        where ${sql.ref(`${table}.workspace_id`)} = ${$.workspace_id}
          and ${sql.ref(`${table}.project_id`)} = ${$.project_id}
          and ${id} > ${$.id} and ${isProjectVisible($)}
        order by ${id} limit ${$.limit}`,
    )
  }),
)

/** Tasks of a visible project after a number, deleted ones without their record. */
export const tasksAfter = query((db, $: Scoped<WalkParams>, dialect) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .select([
      'tasks.id',
      'tasks.number as task',
      sql<
        string | null
      >`case when tasks.deleted_at is null then ${recordOf('task').json(dialect, $)} end`.as(
        'json',
      ),
    ])
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
    sql`select comments.id, 0 as task, tasks.project_id, ${recordOf('comment').json(dialect, $)} as json
      from comments
      join users on users.id = comments.author_id
      join tasks on tasks.workspace_id = comments.workspace_id and tasks.id = comments.task_id
      join projects on projects.workspace_id = tasks.workspace_id and projects.id = tasks.project_id
      where comments.workspace_id = ${$.workspace_id} and comments.author_id = ${$.author_id}
        and comments.id > ${$.id} and tasks.deleted_at is null and ${isProjectVisible($)}
      order by comments.id limit ${$.limit}`,
  ),
)

/**
 * What belongs to the tasks with the numbers from `task` to `to`, after a record. Cross joins keep SQLite
 * from starting at the records of the whole workspace.
 */
export const recordsOfTasksAfter = memoizeByShape((type: RecordType) =>
  query((db, $: Scoped<WalkParams>, dialect) => {
    const { table, join = sql``, order = sql.ref(`${table}.id`), json } = recordOf(type)
    return rawStatement<WalkedRow>(
      db,
      sql`select ${sql.ref(`${table}.id`)} as id, tasks.number as task, ${json(dialect, $)} as json
        from tasks cross join projects cross join ${sql.table(table)} ${join}
        where projects.workspace_id = tasks.workspace_id and projects.id = tasks.project_id
          and ${sql.ref(`${table}.workspace_id`)} = tasks.workspace_id
          and ${sql.ref(`${table}.task_id`)} = tasks.id
          and tasks.workspace_id = ${$.workspace_id} and tasks.project_id = ${$.project_id}
          and tasks.number >= ${$.task} and tasks.number <= ${$.to}
          and (tasks.number, ${sql.ref(`${table}.id`)}) > (${$.task}, ${$.id})
          and tasks.deleted_at is null and ${isProjectVisible($)}
        order by tasks.number, ${order} limit ${$.limit}`,
    )
  }),
)

/** A record of a snapshot, and where the walk stands after it. */
interface WalkedRecord {
  type: RecordType
  id: string
  project_id: string | null
  /** Null if the record is deleted. */
  json: string | null
  next: Walk
}

interface WalkStep {
  records: readonly WalkedRecord[]
  /** Where the walk goes on after these records; undefined at its end. */
  next: Walk | undefined
}

const typesOf = (of: 'project' | 'task') =>
  RANKED_TYPES.filter((type) => recordOf(type).of === of && type !== 'task')

/** The types of record that are listed of a project before its tasks, and those of each task. */
const PROJECT_STAGES = typesOf('project')
const TASK_STAGES = typesOf('task')

/**
 * Reads the next records of a walk with one statement. What changes meanwhile is in the numbered
 * changes afterwards, so its steps need not be of one moment.
 */
export async function walkOn(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<RecordType>,
  limit: number,
): Promise<WalkStep> {
  switch (walk.stage) {
    case 'author':
      return walkAuthor(tx, walk, types, limit)
    case 'member':
      return walkMembers(tx, walk, types, limit)
    case 'project':
      return walkToProject(tx, walk, types, limit)
    case 'task':
      return walkTasks(tx, walk, types, limit)
    default:
      return recordOf(walk.stage).of === 'project'
        ? walkRecordsOfProject(tx, walk.stage, walk, types, limit)
        : walkRecordsOfTasks(tx, walk.stage, walk, types, limit)
  }
}

const toParams = ({ of, project, task, to, id }: Walk, limit: number) => ({
  author_id: of,
  project_id: project,
  task,
  to,
  id,
  limit,
})

const toRecords = (
  type: RecordType,
  rows: readonly WalkedRow[],
  walk: Walk,
  nextOf: (row: WalkedRow) => Partial<Walk> = ({ id }) => ({ id }),
): WalkedRecord[] =>
  rows.map((row) => ({
    type,
    id: row.id,
    json: row.json,
    project_id: type === 'member' ? null : (row.project_id ?? walk.project),
    next: { ...walk, ...nextOf(row) },
  }))

/** Lists the comments of a person, which show another name or picture now. */
async function walkAuthor(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<RecordType>,
  limit: number,
): Promise<WalkStep> {
  const hasComments = types.has('comment')
  const rows = hasComments ? await tx.all(commentsOfAuthorAfter, toParams(walk, limit)) : []
  const records = toRecords('comment', rows, walk)
  return { records, next: rows.length === limit ? records.at(-1)?.next : undefined }
}

async function walkMembers(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<RecordType>,
  limit: number,
): Promise<WalkStep> {
  const rows = types.has('member') ? await tx.all(membersToWalk, toParams(walk, limit)) : []
  const records = toRecords('member', rows, walk)
  if (rows.length === limit) return { records, next: records.at(-1)?.next }
  return { records, next: walk.of === 'all' ? { ...walk, stage: 'project', id: '' } : undefined }
}

async function walkToProject(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<RecordType>,
  limit: number,
): Promise<WalkStep> {
  const isOne = walk.of !== 'all'
  const [row] = await tx.all(nextProject(isOne), toParams(walk, limit))
  if (!row) return { records: [], next: undefined }
  const [stage = 'task'] = PROJECT_STAGES
  const next: Walk = { ...walk, project: row.id, stage, from: 0, to: 0, task: 0, id: '' }
  const records = types.has('project') ? toRecords('project', [row], next, () => ({})) : []
  return { records, next }
}

async function walkRecordsOfProject(
  tx: ReadTx,
  type: RecordType,
  walk: Walk,
  types: ReadonlySet<RecordType>,
  limit: number,
): Promise<WalkStep> {
  const isFollowed = types.has(type)
  const rows = isFollowed ? await tx.all(recordsOfProjectAfter(type), toParams(walk, limit)) : []
  const records = toRecords(type, rows, walk)
  if (rows.length === limit) return { records, next: records.at(-1)?.next }
  const stage = PROJECT_STAGES[PROJECT_STAGES.indexOf(type) + 1]
  if (stage) return { records, next: { ...walk, stage, id: '' } }
  const hasTasks = types.has('task') || TASK_STAGES.some((type) => types.has(type))
  return { records, next: hasTasks ? { ...walk, stage: 'task', id: '' } : afterProject(walk) }
}

async function walkTasks(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<RecordType>,
  limit: number,
): Promise<WalkStep> {
  const from = walk.to
  const rows = await tx.all(tasksAfter, toParams({ ...walk, task: from }, limit))
  if (rows.length === 0) return { records: [], next: afterProject(walk) }
  // If the reply ends within these tasks, those before are the slice whose children come next.
  const sliceTo = (to: number) => nextStage({ ...walk, stage: 'task', from, to }, types)
  const records = toRecords('task', types.has('task') ? rows : [], walk, ({ task }) =>
    sliceTo(task),
  )
  return { records, next: sliceTo(rows.at(-1)?.task ?? from) }
}

async function walkRecordsOfTasks(
  tx: ReadTx,
  type: RecordType,
  walk: Walk,
  types: ReadonlySet<RecordType>,
  limit: number,
): Promise<WalkStep> {
  const rows = await tx.all(recordsOfTasksAfter(type), toParams(walk, limit))
  const records = toRecords(type, rows, walk, ({ task, id }) => ({ task, id }))
  if (rows.length === limit) return { records, next: records.at(-1)?.next }
  return { records, next: nextStage(walk, types) }
}

/** The next type of record that belongs to the slice of tasks, or the next tasks. */
function nextStage(walk: Walk, types: ReadonlySet<RecordType>): Walk {
  const at = walk.stage === 'author' ? -1 : TASK_STAGES.indexOf(walk.stage)
  const stage = TASK_STAGES.slice(at + 1).find((type) => types.has(type)) ?? 'task'
  return { ...walk, stage, task: walk.from, id: AFTER_ALL_KEYS }
}

const afterProject = (walk: Walk): Walk | undefined =>
  walk.of === 'all' ? { ...walk, stage: 'project', id: '' } : undefined
