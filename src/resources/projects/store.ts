import { sql } from 'kysely'
import type { Dialect } from '#storage/dialect.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { command, query, queryOfAll, row, type Scoped, shaped } from '#storage/statement.ts'
import type { ProjectRow } from '#storage/tables.ts'
import { type Project, STATUS_CATEGORIES } from './contract.ts'
import { visible } from './visible.ts'

/** A project as it is shown: the one place that says so. */
const shown = ({ json, engine }: Dialect, $: Scoped) =>
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
    task_counts: countsOf(engine),
    url: sql`${$.base_url} || '/w/' || projects.workspace_id || '/p/' || projects.prefix`,
    created_by_id: 'plain',
    created_at: 'plain',
    updated_at: 'plain',
  })

function countsOf(engine: Dialect['engine']) {
  const columns = STATUS_CATEGORIES.map((category) => sql.ref(`projects.${category}_count`))
  const total = sql.join(columns, sql` + `)
  const pairs = [sql`'total', ${total}`]
  for (const [at, column] of columns.entries()) {
    pairs.push(sql`${sql.lit(STATUS_CATEGORIES[at])}, ${column}`)
  }
  // PostgreSQL's json_build_object puts spaces between; a row has none.
  if (engine === 'sqlite') return sql`json_object(${sql.join(pairs)})`
  const names = sql.raw(['total', ...STATUS_CATEGORIES].join(', '))
  return sql`(select row_to_json(c) from (values (${total}, ${sql.join(columns)})) as c (${names}))`
}

export const projectById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('projects')
    .select(['id', 'updated_at as revision', shown(dialect, $).as('json')])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where(visible($)),
)

/** A project that the actor has just changed, who may see it no longer. */
export const changedProject = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('projects')
    .select(['id', 'updated_at as revision', shown(dialect, $).as('json')])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** What an operation looks at; the record itself stays where it is. */
export const projectToUse = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('projects')
    .select(['id', 'prefix', 'archived_at', 'lead_id', 'visibility', 'statuses', 'last_number'])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where(visible($)),
)

interface Filters {
  status: string
  words: string[]
  prefix: string
  lead_id: string
  updated_since: string
}

/** The projects that the actor sees; `shape` says which filters there are. */
export const projectsWhere = shaped(
  ({ order, has }: { order: Order; has: { [F in keyof Filters]?: boolean } }) =>
    query((db, $: Scoped<Window & Filters>, dialect) => {
      const key = order.column ?? 'projects.id'
      let found = db
        .selectFrom('projects')
        .select(['id', sql.ref<string>(key).as('key'), shown(dialect, $).as('json')])
        .where('workspace_id', '=', $.workspace_id)
        .where(visible($))
      if (has.status) {
        found = found.where(
          sql<boolean>`(case when archived_at is null then 'active' else 'archived' end) = ${$.status}`,
        )
      }
      if (has.words) {
        found = found.where((is) =>
          is.or([dialect.holdsWords('projects.name_words', $.words), is('prefix', '=', $.prefix)]),
        )
      }
      if (has.lead_id) found = found.where('lead_id', '=', $.lead_id)
      if (has.updated_since) found = found.where('updated_at', '>=', $.updated_since)
      return paged(found, $, 'projects.id', order)
    }),
)

/** Where a project is, for the command line, which is told its id alone. */
export const workspaceOfProject = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('projects').select('workspace_id').where('id', '=', $.id),
)

/** What of a project can change, or tells that it did; its counts follow its tasks. */
export const CHANGEABLE = [
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

export const updateProject = command(
  (db, $: Scoped<Pick<ProjectRow, 'id' | (typeof CHANGEABLE)[number]>>) =>
    db
      .updateTable('projects')
      .set(row($, ...CHANGEABLE))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
)

/** A status among some that a task has which is not deleted. */
export const tasksWithStatus = query(
  (db, $: Scoped<{ project_id: string; keys: string[] }>, { among }) =>
    db
      .selectFrom('tasks')
      .select('status')
      .where('workspace_id', '=', $.workspace_id)
      .where('project_id', '=', $.project_id)
      .where(among('status', $.keys))
      .where('deleted_at', 'is', null)
      .limit(1),
)
