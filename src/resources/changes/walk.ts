import { sql } from 'kysely'
import type { ReadTx } from '#core/transaction.ts'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import { timeEntryJson } from '#db/tasks/timers.ts'
import { attachmentJson } from '#resources/attachments/store.ts'
import { commentJson } from '#resources/comments/store.ts'
import { visibleMemberJson } from '#resources/members/store.ts'
import { projectJson } from '#resources/projects/store.ts'
import { tagJson } from '#resources/tags/store.ts'
import { taskJson } from '#resources/tasks/task-json.ts'
import type { ChangeType } from './contract.ts'
import { AFTER_ALL_KEYS, type Walk } from './position.ts'
import { RECORD_TABLE } from './store.ts'

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

type ChildType = 'comment' | 'time_entry' | 'attachment'

/**
 * What belongs to the tasks with the numbers from `task` to `to`, after a record. Cross joins keep SQLite
 * from starting at the records of the whole workspace.
 */
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
    // The index of attachments by task is not in this order. By the id alone, SQLite would read all of
    // the workspace for each task, to sort none.
    const order = type === 'attachment' ? sql`attachments.id || ''` : sql`${sql.ref(`${table}.id`)}`
    return rawStatement<WalkedRow>(
      db,
      sql`select ${sql.ref(`${table}.id`)} as id, tasks.number as task, ${json} as json
        from tasks cross join projects cross join ${from} ${author}
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
  type: ChangeType
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

const CHILD_STAGES: readonly ChildType[] = ['comment', 'time_entry', 'attachment']
const ALL_STAGES: readonly string[] = CHILD_STAGES

/**
 * Reads the next records of a walk with one statement. What changes meanwhile is in the numbered
 * changes afterwards, so its steps need not be of one moment.
 */
export async function walkOn(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<ChangeType>,
  limit: number,
): Promise<WalkStep> {
  switch (walk.stage) {
    case 'author':
      return walkAuthor(tx, walk, types, limit)
    case 'member':
      return walkMembers(tx, walk, types, limit)
    case 'project':
      return walkToProject(tx, walk, types, limit)
    case 'tag':
      return walkTags(tx, walk, types, limit)
    case 'task':
      return walkTasks(tx, walk, types, limit)
    default:
      return walkChildren(tx, walk.stage, walk, types, limit)
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
  type: ChangeType,
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
  types: ReadonlySet<ChangeType>,
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
  types: ReadonlySet<ChangeType>,
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
  types: ReadonlySet<ChangeType>,
  limit: number,
): Promise<WalkStep> {
  const isOne = walk.of !== 'all'
  const [row] = await tx.all(nextProject(isOne), toParams(walk, limit))
  if (!row) return { records: [], next: undefined }
  const next: Walk = { ...walk, project: row.id, stage: 'tag', from: 0, to: 0, task: 0, id: '' }
  const records = types.has('project') ? toRecords('project', [row], next, () => ({})) : []
  return { records, next }
}

async function walkTags(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<ChangeType>,
  limit: number,
): Promise<WalkStep> {
  const rows = types.has('tag') ? await tx.all(tagsAfter, toParams(walk, limit)) : []
  const records = toRecords('tag', rows, walk)
  if (rows.length === limit) return { records, next: records.at(-1)?.next }
  const hasTasks = types.has('task') || CHILD_STAGES.some((type) => types.has(type))
  return { records, next: hasTasks ? { ...walk, stage: 'task', id: '' } : afterProject(walk) }
}

async function walkTasks(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<ChangeType>,
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

async function walkChildren(
  tx: ReadTx,
  type: ChildType,
  walk: Walk,
  types: ReadonlySet<ChangeType>,
  limit: number,
): Promise<WalkStep> {
  const rows = await tx.all(childrenAfter(type), toParams(walk, limit))
  const records = toRecords(type, rows, walk, ({ task, id }) => ({ task, id }))
  if (rows.length === limit) return { records, next: records.at(-1)?.next }
  return { records, next: nextStage(walk, types) }
}

/** The next type of record that belongs to the slice of tasks, or the next tasks. */
function nextStage(walk: Walk, types: ReadonlySet<ChangeType>): Walk {
  const at = ALL_STAGES.indexOf(walk.stage)
  const stage = CHILD_STAGES.slice(at + 1).find((type) => types.has(type)) ?? 'task'
  return { ...walk, stage, task: walk.from, id: AFTER_ALL_KEYS }
}

const afterProject = (walk: Walk): Walk | undefined =>
  walk.of === 'all' ? { ...walk, stage: 'project', id: '' } : undefined
