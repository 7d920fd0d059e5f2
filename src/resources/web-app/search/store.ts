import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { Tables } from '#db/schema/tables.ts'
import { taskJson } from '#resources/tasks/task-json.ts'

/** What determines the statement that finds candidates. */
export interface SearchQueryShape {
  of: 'task' | 'comment'
  /** Whether the word index matches whole words, or also prefixes; or the id of one task. */
  by: 'id' | 'whole' | 'begun'
  /** Whether to return descriptions too. */
  described: boolean
  project: boolean
  assignees: boolean
  unassigned: boolean
  authors: boolean
}

/** The values of the filters. */
interface SearchValues {
  /** The words of the search, as `toIndexQuery` returns them. */
  search: string
  searched_id: string
  project_id: string
  assignees: readonly string[]
  authors: readonly string[]
}

/** A task or comment with the words. `id` is null if it is deleted, not visible or filtered out. */
export interface SearchCandidate {
  /** The key in the index, which grows with each insert. */
  key: string | number
  id: string | null
  comment_id: string | null
  title: string
  description: string | null
  changed_at: string
}

type SearchParams = Scoped<SearchValues & { limit: number }>

/**
 * The newest candidates with the words, in no order. A candidate that the actor does not see is a
 * row without an id, so that the caller knows how many were examined.
 */
export const selectCandidates = memoizeByShape((shape: SearchQueryShape) =>
  query((db, $: SearchParams, dialect) => {
    const { of, by, described } = shape
    const source =
      by === 'id'
        ? taskKey($, dialect)
        : dialect.selectNewestWithWords(of, $, by === 'whole', $.limit)
    const tasks =
      of === 'task'
        ? sql``
        : sql`left join tasks on tasks.workspace_id = ${$.workspace_id} and tasks.id = comments.task_id`
    const id = of === 'comment' ? sql`comments.id` : sql`null`
    const text = described ? sql`tasks.description` : sql`null`
    const conditions = sql.join(toConditions($, dialect, shape), sql` and `)
    const ifVisible = (value: RawBuilder<unknown>) =>
      sql`case when projects.id is not null then ${value} end`
    return compiled(
      db,
      sql<SearchCandidate>`select found.key, ${ifVisible(sql`tasks.id`)} as id, ${id} as comment_id,
        ${ifVisible(sql`tasks.title`)} as title, ${ifVisible(text)} as description,
        ${sql.ref(`${of}s.updated_at`)} as changed_at
      from (${source}) as found ${dialect.joinFoundRecords(of, $.workspace_id)} ${tasks}
      left join projects on projects.workspace_id = ${$.workspace_id}
        and projects.id = tasks.project_id and ${conditions}`,
    )
  }),
)

/** How many tasks or comments contain all the words, counted up to a limit. */
export const selectCandidateCount = memoizeByShape((of: SearchQueryShape['of']) =>
  query((db, $: Scoped<{ search: string; limit: number }>, dialect) =>
    compiled(
      db,
      sql<{ count: number }>`select count(${sql.ref(`${of}s.id`)}) as count
        from (${dialect.selectNewestWithWords(of, $, true, $.limit)}) as found
        ${dialect.joinFoundRecords(of, $.workspace_id)}`,
    ),
  ),
)

/** The index key of the task with `searched_id`. */
const taskKey = ($: SearchParams, { engine }: Dialect) =>
  sql`select ${sql.ref(engine === 'sqlite' ? 'search_id' : 'id')} as key from tasks
    where workspace_id = ${$.workspace_id} and id = ${$.searched_id}`

function toConditions(
  $: SearchParams,
  { inList }: Dialect,
  shape: SearchQueryShape,
): RawBuilder<unknown>[] {
  const found: RawBuilder<unknown>[] = [sql`tasks.deleted_at is null`, sql`${isProjectVisible($)}`]
  if (shape.project) found.push(sql`tasks.project_id = ${$.project_id}`)
  if (shape.authors) {
    const author = shape.of === 'comment' ? 'comments.author_id' : 'tasks.created_by_id'
    found.push(inList(author, $.authors))
  }
  const none = sql`tasks.assignee_ids = '[]'`
  const some = sql`exists (select 1 from task_assignees as a
    where a.workspace_id = ${$.workspace_id} and a.task_id = tasks.id
      and ${inList('a.user_id', $.assignees)})`
  if (shape.assignees) found.push(shape.unassigned ? sql`(${some} or ${none})` : some)
  else if (shape.unassigned) found.push(none)
  return found
}

/** A project that the actor does not see. */
export const hiddenProject = query((db, $: Scoped) =>
  db
    .selectFrom('projects')
    .select('id')
    // `isProjectVisible` is NULL for a project without a lead, hence no plain negation.
    .where(sql<boolean>`case when ${isProjectVisible($)} then 0 else 1 end = 1`)
    .limit(1),
)

/** The JSON and the texts of tasks, by id. */
export const matchedTasks = query((db, $: Scoped<{ ids: readonly string[] }>, dialect) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .select(['tasks.id', 'tasks.title', 'tasks.description', taskJson(dialect, $).as('json')])
    .where(dialect.inList('tasks.id', $.ids))
    .where('tasks.deleted_at', 'is', null)
    .where(isProjectVisible($)),
)

/** The texts of comments, by id; the caller has checked that the actor sees them. */
export const matchedComments = query((db, $: Scoped<{ ids: readonly string[] }>, { inList }) =>
  db.selectFrom('comments').select(['id', 'body']).where(inList('comments.id', $.ids)),
)

const compiled = <R>(db: unknown, statement: RawBuilder<R>) => ({
  compile: () => statement.compile(db as Kysely<Tables>),
})
