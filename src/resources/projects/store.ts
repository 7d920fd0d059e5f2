import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { nextChangeNumber } from '#db/core/number-changes.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import {
  command,
  memoizeByShape,
  pickSlots,
  type QueryBuilder,
  query,
  type Scoped,
  unscopedQuery,
} from '#db/core/statement.ts'
import type { ProjectRow } from '#db/schema/tables.ts'
import { type Project, STATUS_CATEGORIES } from './contract.ts'

/** The JSON of a project. */
export const projectJson = ({ json, engine }: Dialect, $: Scoped) =>
  json<Project>('projects', {
    id: 'plain',
    name: 'plain',
    prefix: 'plain',
    description: 'plain',
    color: 'plain',
    icon: 'plain',
    status: sql`case when projects.archived_at is null then 'active' else 'archived' end`,
    archived_at: 'plain',
    lead_id: 'plain',
    visibility: 'plain',
    start_date: 'plain',
    target_date: 'plain',
    statuses: 'json',
    task_counts: taskCountsJson(engine),
    url: sql`${$.base_url} || '/w/' || projects.workspace_id || '/p/' || projects.prefix`,
    created_by_id: 'plain',
    created_at: 'plain',
    updated_at: 'plain',
  })

function taskCountsJson(engine: Dialect['engine']) {
  const columns = STATUS_CATEGORIES.map((category) => sql.ref(`projects.${category}_count`))
  const total = sql.join(columns, sql` + `)
  const pairs = [sql`'total', ${total}`]
  for (const [at, column] of columns.entries()) {
    pairs.push(sql`${sql.lit(STATUS_CATEGORIES[at])}, ${column}`)
  }
  // json_build_object of PostgreSQL inserts spaces, row_to_json does not.
  if (engine === 'sqlite') return sql`json_object(${sql.join(pairs)})`
  const names = sql.raw(['total', ...STATUS_CATEGORIES].join(', '))
  return sql`(select row_to_json(c) from (values (${total}, ${sql.join(columns)})) as c (${names}))`
}

export const projectRecordById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('projects')
    .select(['id', 'updated_at as revision', projectJson(dialect, $).as('json')])
    .where('id', '=', $.id)
    .where(isProjectVisible($)),
)

/** A project that the actor has just changed, and may no longer see. */
export const anyProjectById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('projects')
    .select(['id', 'updated_at as revision', projectJson(dialect, $).as('json')])
    .where('id', '=', $.id),
)

/** The columns that operations need, without the JSON of the record. */
const projectColumns = <P>(db: QueryBuilder, $: Scoped<P>) =>
  db
    .selectFrom('projects')
    .select(['id', 'prefix', 'archived_at', 'lead_id', 'visibility', 'statuses', 'last_number'])
    .where(isProjectVisible($))

export const projectColumnsById = query((db, $: Scoped<{ id: string }>) =>
  projectColumns(db, $).where('id', '=', $.id),
)

/** By the present or a former prefix. */
export const projectColumnsByPrefix = query((db, $: Scoped<{ prefix: string }>) =>
  projectColumns(db, $).where('id', '=', (ids) =>
    ids
      .selectFrom('project_prefixes')
      .select('project_id')
      .where('project_prefixes.prefix', '=', $.prefix),
  ),
)

interface ProjectFilters {
  status: string
  words: string[]
  prefix: string
  lead_id: string
  updated_since: string
}

/** The projects that the actor sees; `has` says which filters the request has. */
export const selectProjects = memoizeByShape(
  ({ order, has }: { order: ListOrder; has: { [F in keyof ProjectFilters]?: boolean } }) =>
    query((db, $: Scoped<PageWindow & ProjectFilters>, dialect) => {
      const key = order.column ?? 'projects.id'
      let rows = db
        .selectFrom('projects')
        .select(['id', sql.ref<string>(key).as('key'), projectJson(dialect, $).as('json')])
        .where(isProjectVisible($))
      if (has.status) {
        rows = rows.where(
          sql<boolean>`(case when archived_at is null then 'active' else 'archived' end) = ${$.status}`,
        )
      }
      if (has.words) {
        rows = rows.where((is) =>
          is.or([dialect.hasAllWords('projects.name_words', $.words), is('prefix', '=', $.prefix)]),
        )
      }
      if (has.lead_id) rows = rows.where('lead_id', '=', $.lead_id)
      if (has.updated_since) rows = rows.where('updated_at', '>=', $.updated_since)
      return paginate(rows, $, 'projects.id', order)
    }),
)

/** The workspace of a project, for the command line, which gets the project id alone. */
export const workspaceOfProject = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('projects').select('workspace_id').where('id', '=', $.id),
)

/** The columns that a change can set. The counts follow the tasks. */
export const PROJECT_COLUMNS = [
  'name',
  'name_key',
  'name_words',
  'prefix',
  'description',
  'color',
  'icon',
  'archived_at',
  'lead_id',
  'visibility',
  'start_date',
  'target_date',
  'statuses',
  'updated_at',
] as const

export const updateProjectRow = command(
  (db, $: Scoped<Pick<ProjectRow, 'id' | (typeof PROJECT_COLUMNS)[number]>>) =>
    db
      .updateTable('projects')
      .set(pickSlots($, ...PROJECT_COLUMNS))
      .where('id', '=', $.id),
)

/**
 * A person, or everybody who sees the project if `user_id` is empty, reads the project anew by the feed of
 * changes. A removal of a person leaves a tombstone by itself.
 */
export const insertSightTombstone = command(
  (db, $: Scoped<{ project_id: string; user_id: string; created_at: string }>) =>
    db
      .insertInto('tombstones')
      .values({
        ...pickSlots($, 'workspace_id', 'project_id', 'user_id', 'created_at'),
        record_id: $.project_id,
        change_number: nextChangeNumber($),
      })
      .onConflict((conflict) => conflict.doNothing()),
)

/** An undeleted task that has one of these statuses. */
export const taskWithStatus = query(
  (db, $: Scoped<{ project_id: string; keys: string[] }>, { inList }) =>
    db
      .selectFrom('tasks')
      .select('status')
      .where('project_id', '=', $.project_id)
      .where(inList('status', $.keys))
      .where('deleted_at', 'is', null)
      .limit(1),
)

/** The projects that the actor sees, all or those of a list. */
export const visibleProjectIds = memoizeByShape(({ isNamed }: { isNamed: boolean }) =>
  query((db, $: Scoped<{ ids: readonly string[] }>, { inList }) => {
    const projects = db.selectFrom('projects').select('projects.id').where(isProjectVisible($))
    return isNamed ? projects.where(inList('projects.id', $.ids)) : projects
  }),
)
