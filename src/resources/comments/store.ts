import { sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import type { Dialect } from '#storage/dialect.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { command, query, row, type Scoped, shaped } from '#storage/statement.ts'
import type { CommentRow } from '#storage/tables.ts'
import type { Comment } from './contract.ts'

/** A comment as it is shown: the one place that says so. Needs its author joined as users. */
const shown = ({ engine, json }: Dialect) => {
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

/** A comment on a task that is not deleted, in a project that the actor sees. */
export const commentById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('comments')
    .innerJoin('tasks', (join) =>
      join
        .onRef('tasks.workspace_id', '=', 'comments.workspace_id')
        .onRef('tasks.id', '=', 'comments.task_id'),
    )
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
        .onRef('projects.id', '=', 'tasks.project_id'),
    )
    .innerJoin('users', 'users.id', 'comments.author_id')
    .select([
      'comments.id',
      'comments.task_id',
      'comments.author_id',
      'comments.body',
      'comments.updated_at',
      'comments.updated_at as revision',
      'tasks.project_id',
      'projects.archived_at',
      shown(dialect).as('json'),
    ])
    .where('comments.workspace_id', '=', $.workspace_id)
    .where('comments.id', '=', $.id)
    .where('tasks.deleted_at', 'is', null)
    .where(visible($)),
)

interface Shape {
  order: Order
  author: boolean
  since: boolean
}

type Filters = { task_id: string; author_id: string; updated_since: string }

/** The comments on a task that the actor is known to see. */
export const commentsOfTask = shaped(({ order, author, since }: Shape) =>
  query((db, $: Scoped<Window & Filters>, dialect) => {
    let found = db
      .selectFrom('comments')
      .innerJoin('users', 'users.id', 'comments.author_id')
      .select(['comments.id', shown(dialect).as('json')])
      .where('comments.workspace_id', '=', $.workspace_id)
      .where('comments.task_id', '=', $.task_id)
    if (author) found = found.where('comments.author_id', '=', $.author_id)
    if (since) found = found.where('comments.updated_at', '>=', $.updated_since)
    return paged(found, $, 'comments.id', order)
  }),
)

/** A comment of a task, as far as a reply to it needs to know. */
export const parentInTask = query((db, $: Scoped<{ task_id: string; id: string }>) =>
  db
    .selectFrom('comments')
    .select('parent_id')
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.task_id)
    .where('id', '=', $.id),
)

export const insertComment = command((db, $: Scoped<CommentRow>) =>
  db
    .insertInto('comments')
    .values(
      row(
        $,
        'workspace_id',
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
      ),
    ),
)

type Edited = Pick<CommentRow, 'id' | 'body' | 'mentions' | 'edited_at' | 'updated_at'>

export const editComment = command((db, $: Scoped<Edited>) =>
  db
    .updateTable('comments')
    .set(row($, 'body', 'mentions', 'edited_at', 'updated_at'))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const removeComment = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('comments').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)

/** Adds to what a task shows as its number of comments; a derived field, so no new version. */
export const countComment = command((db, $: Scoped<{ task_id: string; by: number }>) =>
  db
    .updateTable('tasks')
    .set((task) => ({ comment_count: task('comment_count', '+', $.by) }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.task_id),
)
