import { type Kysely, type RawBuilder, sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import { shown } from '#resources/tasks/shown.ts'
import type { Dialect } from '#storage/dialect.ts'
import { query, type Scoped, shaped } from '#storage/statement.ts'
import type { Tables } from '#storage/tables.ts'

/** What shapes the statement that finds candidates. */
export interface Shape {
  of: 'task' | 'comment'
  /** By the index of words: those that have whole words, or also those that begin with them. */
  by: 'id' | 'whole' | 'begun'
  /** Also the descriptions, to be looked at. */
  described: boolean
  project: boolean
  assignees: boolean
  unassigned: boolean
  authors: boolean
}

/** What the filters bind. */
export interface Sought {
  /** Words with the mark of the workspace, by spaces. */
  search: string
  searched_id: string
  project_id: string
  assignees: readonly string[]
  authors: readonly string[]
}

/** A task or comment that has the words; `id` is null where it is deleted, unseen or filtered out. */
export interface Candidate {
  /** In the index: it grows with what is made. */
  key: string | number
  id: string | null
  comment_id: string | null
  title: string
  description: string | null
  changed_at: string
}

type $ = Scoped<Sought & { limit: number }>

/**
 * Candidates by words, the newest ones first taken, in no order. What is not the actor's to see is a
 * row without an id: so the caller knows how many were looked at.
 */
export const candidatesOf = shaped((shape: Shape) =>
  query((db, $: $, dialect) => {
    const { of, by, described } = shape
    const source =
      by === 'id' ? named($, dialect) : dialect.newestWithWords(of, $, by === 'whole', $.limit)
    const tasks =
      of === 'task'
        ? sql``
        : sql`left join tasks on tasks.workspace_id = ${$.workspace_id} and tasks.id = comments.task_id`
    const id = of === 'comment' ? sql`comments.id` : sql`null`
    const text = described ? sql`tasks.description` : sql`null`
    const conditions = sql.join(conditionsOf($, dialect, shape), sql` and `)
    const seen = (value: RawBuilder<unknown>) =>
      sql`case when projects.id is not null then ${value} end`
    return compiled(
      db,
      sql<Candidate>`select found.key, ${seen(sql`tasks.id`)} as id, ${id} as comment_id,
        ${seen(sql`tasks.title`)} as title, ${seen(text)} as description,
        ${sql.ref(`${of}s.updated_at`)} as changed_at
      from (${source}) as found ${dialect.keyed(of, $.workspace_id)} ${tasks}
      left join projects on projects.workspace_id = ${$.workspace_id}
        and projects.id = tasks.project_id and ${conditions}`,
    )
  }),
)

/** How many tasks or comments have whole words, up to a limit. */
export const countOf = shaped((of: Shape['of']) =>
  query((db, $: Scoped<{ search: string; limit: number }>, dialect) =>
    compiled(
      db,
      sql<{ count: number }>`select count(${sql.ref(`${of}s.id`)}) as count
        from (${dialect.newestWithWords(of, $, true, $.limit)}) as found
        ${dialect.keyed(of, $.workspace_id)}`,
    ),
  ),
)

/** The task of an id as the key of a candidate. */
const named = ($: $, { engine }: Dialect) =>
  sql`select ${sql.ref(engine === 'sqlite' ? 'search_id' : 'id')} as key from tasks
    where workspace_id = ${$.workspace_id} and id = ${$.searched_id}`

function conditionsOf($: $, { among }: Dialect, shape: Shape): RawBuilder<unknown>[] {
  const found: RawBuilder<unknown>[] = [sql`tasks.deleted_at is null`, sql`${visible($)}`]
  if (shape.project) found.push(sql`tasks.project_id = ${$.project_id}`)
  if (shape.authors) {
    const author = shape.of === 'comment' ? 'comments.author_id' : 'tasks.created_by_id'
    found.push(among(author, $.authors))
  }
  const none = sql`tasks.assignee_ids = '[]'`
  const some = sql`exists (select 1 from task_assignees as a
    where a.workspace_id = ${$.workspace_id} and a.task_id = tasks.id
      and ${among('a.user_id', $.assignees)})`
  if (shape.assignees) found.push(shape.unassigned ? sql`(${some} or ${none})` : some)
  else if (shape.unassigned) found.push(none)
  return found
}

/** Whether there is a project that the actor does not see. */
export const anyHidden = query((db, $: Scoped) =>
  db
    .selectFrom('projects')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    // A project without a lead is neither visible nor not, to SQL.
    .where(sql<boolean>`case when ${visible($)} then 0 else 1 end = 1`)
    .limit(1),
)

/** Tasks as they are shown, by their ids, with their texts. */
export const tasksFound = query((db, $: Scoped<{ ids: readonly string[] }>, dialect) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
        .onRef('projects.id', '=', 'tasks.project_id'),
    )
    .select(['tasks.id', 'tasks.title', 'tasks.description', shown(dialect, $).as('json')])
    .where('tasks.workspace_id', '=', $.workspace_id)
    .where(dialect.among('tasks.id', $.ids))
    .where('tasks.deleted_at', 'is', null)
    .where(visible($)),
)

/** The texts of comments, by their ids, which the actor is known to see. */
export const bodiesFound = query((db, $: Scoped<{ ids: readonly string[] }>, { among }) =>
  db
    .selectFrom('comments')
    .select(['id', 'body'])
    .where('workspace_id', '=', $.workspace_id)
    .where(among('comments.id', $.ids)),
)

const compiled = <R>(db: unknown, statement: RawBuilder<R>) => ({
  compile: () => statement.compile(db as Kysely<Tables>),
})
