import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import {
  command,
  insertRow,
  memoizeByShape,
  pickSlots,
  type QueryBuilder,
  query,
  type Scoped,
} from '#db/core/statement.ts'
import type { CommentRow, DeletedCommentRow } from '#db/schema/tables.ts'
import { applyTaskFilters, type TaskSelection } from '#resources/tasks/filters/list-query.ts'
import type { TaskFilterValues } from '#resources/tasks/filters/task-filters.ts'
import type { Comment } from './contract.ts'

/** The JSON of a comment. Needs its author joined as users. */
export const commentJson = ({ engine, json }: Dialect) => {
  const author = json<Comment['author']>('users', {
    id: 'plain',
    name: 'plain',
    avatar_url: 'plain',
  })
  return json<Comment>('comments', {
    id: 'plain',
    task_id: 'plain',
    author_id: 'plain',
    author: engine === 'sqlite' ? sql`json(${author})` : sql`${author}::json`,
    body: 'plain',
    parent_id: 'plain',
    mentions: 'json',
    source: 'plain',
    edited_at: 'plain',
    created_at: 'plain',
    updated_at: 'plain',
  })
}

/**
 * Comments with their tasks, projects and authors. Cross joins keep SQLite from starting at the tasks,
 * of which it would read those of the whole workspace.
 */
const fromComments = (db: QueryBuilder) =>
  db
    .selectFrom('comments')
    .crossJoin('tasks')
    .crossJoin('projects')
    .crossJoin('users')
    .whereRef('tasks.id', '=', 'comments.task_id')
    .whereRef('projects.id', '=', 'tasks.project_id')
    .whereRef('users.id', '=', 'comments.author_id')

/** A comment on a task that is not deleted, in a project that the actor sees. */
export const commentById = query((db, $: Scoped<{ id: string }>, dialect) =>
  fromComments(db)
    .select([
      'comments.id',
      'comments.task_id',
      'comments.author_id',
      'comments.body',
      'comments.updated_at',
      'comments.updated_at as revision',
      'tasks.project_id',
      'projects.archived_at',
      commentJson(dialect).as('json'),
    ])
    .where('comments.id', '=', $.id)
    .where('tasks.deleted_at', 'is', null)
    .where(isProjectVisible($)),
)

interface CommentQueryShape {
  order: ListOrder
  author: boolean
  since: boolean
}

type CommentFilters = { task_id: string; author_id: string; updated_since: string }

/** The comments on a task; the caller has checked that the actor sees it. */
export const commentsOfTask = memoizeByShape(({ order, author, since }: CommentQueryShape) =>
  query((db, $: Scoped<PageWindow & CommentFilters>, dialect) => {
    let rows = db
      .selectFrom('comments')
      .innerJoin('users', 'users.id', 'comments.author_id')
      .select(['comments.id', commentJson(dialect).as('json')])
      .where('comments.task_id', '=', $.task_id)
    if (author) {
      // By an index SQLite would read what the person has written in the whole workspace.
      rows = rows.where(dialect.withoutIndex(sql`comments.author_id = ${$.author_id}`))
    }
    if (since)
      rows = rows.where(dialect.withoutIndex(sql`comments.updated_at >= ${$.updated_since}`))
    return paginate(rows, $, 'comments.id', order)
  }),
)

/**
 * What a list is read by: comments whose ids are known, or an index in the order of their creation: of a
 * task, a person, or all.
 */
export type CommentLead = 'ids' | 'task' | 'author' | 'all'

interface CommentListShape {
  order: ListOrder
  tasks: TaskSelection
  lead: CommentLead
  has: { author: boolean; after: boolean; before: boolean; since: boolean }
}

/** Values of a list of all tasks. Ids sort by the time of creation, so the bounds are those of ids, too. */
type CommentListValues = PageWindow &
  CommentFilters &
  TaskFilterValues & { comment_ids: readonly string[]; first_id: string; end_id: string }

/** The comments on tasks that are not deleted, in projects that the actor sees. */
export const selectComments = memoizeByShape(({ order, tasks, lead, has }: CommentListShape) =>
  query((db, $: Scoped<CommentListValues>, dialect) => {
    const comments = fromComments(db)
      .$if(lead === 'task', (all) => all.where('comments.task_id', '=', $.task_id))
      .$if(lead === 'ids', (all) => all.where(dialect.inList('comments.id', $.comment_ids)))
      .$if(has.after, (all) => all.where('comments.id', '>=', $.first_id))
      .$if(has.before, (all) => all.where('comments.id', '<', $.end_id))
    let rows = applyTaskFilters(comments, $, dialect, { ...tasks, hasSelectedIds: false })
    if (has.author) {
      const isAuthor = sql<boolean>`comments.author_id = ${$.author_id}`
      rows = rows.where(lead === 'author' ? isAuthor : dialect.withoutIndex(isAuthor))
    }
    if (has.since)
      rows = rows.where(dialect.withoutIndex(sql`comments.updated_at >= ${$.updated_since}`))
    const page = rows.select(['comments.id', commentJson(dialect).as('json')])
    return paginate(page, $, 'comments.id', order)
  }),
)

/** The ids of the comments that were changed last, up to a limit. */
export const commentIdsUpdatedSince = query(
  (db, $: Scoped<{ updated_since: string; limit: number }>) =>
    db
      .selectFrom('comments')
      .select('id')
      .where('updated_at', '>=', $.updated_since)
      .orderBy('updated_at', 'desc')
      .limit($.limit),
)

/** The comment that a reply answers: replies have one level, so its own parent matters. */
export const parentComment = query((db, $: Scoped<{ task_id: string; id: string }>) =>
  db
    .selectFrom('comments')
    .select('parent_id')
    .where('task_id', '=', $.task_id)
    .where('id', '=', $.id),
)

const COMMENT_COLUMNS = [
  'id',
  'task_id',
  'author_id',
  'body',
  'parent_id',
  'mentions',
  'source',
  'edited_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof CommentRow)[]

export const insertComment = insertRow('comments', ...COMMENT_COLUMNS)

type CommentEdit = Pick<CommentRow, 'id' | 'body' | 'mentions' | 'edited_at' | 'updated_at'>

export const editComment = command((db, $: Scoped<CommentEdit>) =>
  db
    .updateTable('comments')
    .set(pickSlots($, 'body', 'mentions', 'edited_at', 'updated_at'))
    .where('id', '=', $.id),
)

export const removeComment = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('comments').where('id', '=', $.id),
)

type CommentDeletion = Pick<DeletedCommentRow, 'id' | 'deleted_at' | 'deleted_by_id'>

/** Copies a comment to the trash, before it is removed. */
export const insertDeletedComment = command((db, $: Scoped<CommentDeletion>) =>
  db
    .insertInto('deleted_comments')
    .columns(['workspace_id', ...COMMENT_COLUMNS, 'deleted_at', 'deleted_by_id'])
    .expression((is) =>
      is
        .selectFrom('comments')
        .select(['workspace_id', ...COMMENT_COLUMNS])
        .select([
          // PostgreSQL cannot infer the types of bare parameters in a selection.
          sql<string>`cast(${$.deleted_at} as text)`.as('deleted_at'),
          sql<string | null>`cast(${$.deleted_by_id} as text)`.as('deleted_by_id'),
        ])
        .where('id', '=', $.id),
    ),
)

export const removeDeletedComment = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('deleted_comments').where('id', '=', $.id),
)

type TrashParams = Scoped<{ trash_since: string }>

/** The comments of the trash on tasks that are not deleted, in projects that the actor sees. */
const fromTrash = (db: QueryBuilder, $: TrashParams) =>
  db
    .selectFrom('deleted_comments')
    .innerJoin('tasks', 'tasks.id', 'deleted_comments.task_id')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .where('deleted_comments.deleted_at', '>', $.trash_since)
    .where('tasks.deleted_at', 'is', null)
    .where(isProjectVisible($))

/** One comment of the trash. */
export const deletedCommentById = query((db, $: Scoped<{ id: string; trash_since: string }>) =>
  fromTrash(db, $)
    .select([
      'deleted_comments.id',
      'deleted_comments.task_id',
      'deleted_comments.author_id',
      'deleted_comments.body',
      'deleted_comments.parent_id',
      'deleted_comments.mentions',
      'deleted_comments.source',
      'deleted_comments.edited_at',
      'deleted_comments.created_at',
      'deleted_comments.updated_at',
      'deleted_comments.deleted_at',
      'tasks.project_id',
      'projects.archived_at',
    ])
    .where('deleted_comments.id', '=', $.id),
)

/** How much of a deleted comment its list shows. */
const EXCERPT_LENGTH = 240

interface DeletedCommentQueryShape {
  order: ListOrder
  /** Whether only comments of the actor are listed. */
  isOwnOnly: boolean
}

/** A page of the comments of the trash. */
export const selectDeletedComments = memoizeByShape(
  ({ order, isOwnOnly }: DeletedCommentQueryShape) =>
    query((db, $: Scoped<PageWindow & { trash_since: string }>) => {
      let rows = fromTrash(db, $).select([
        'deleted_comments.id',
        'deleted_comments.task_id',
        'projects.prefix',
        'tasks.number',
        'tasks.project_id',
        'deleted_comments.author_id',
        sql<string>`substr(deleted_comments.body, 1, ${sql.lit(EXCERPT_LENGTH)})`.as('excerpt'),
        'deleted_comments.deleted_at',
        'deleted_comments.deleted_by_id',
      ])
      if (isOwnOnly) rows = rows.where('deleted_comments.author_id', '=', $.viewer_id)
      return paginate(rows, $, 'deleted_comments.id', order)
    }),
)

/** Adjusts `comment_count` of a task. The field is derived, so the task gets no new version. */
export const adjustCommentCount = command((db, $: Scoped<{ task_id: string; by: number }>) =>
  db
    .updateTable('tasks')
    .set((task) => ({ comment_count: task('comment_count', '+', $.by) }))
    .where('id', '=', $.task_id),
)
