import { sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import type { Source } from '#storage/dialect.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { command, query, row, type Scoped, shaped } from '#storage/statement.ts'
import type { TemplateRow } from '#storage/tables.ts'
import type { NamedTemplate, Template } from './internal.ts'

const NAMED = {
  id: 'word',
  project_id: 'word',
  name: 'plain',
  task_count: 'whole',
  created_by_id: 'word',
  created_at: 'word',
  updated_at: 'word',
} as const satisfies { [F in keyof NamedTemplate]: Source }

/** A template of a project that the actor sees. */
export const templateById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('templates')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'templates.workspace_id')
        .onRef('projects.id', '=', 'templates.project_id'),
    )
    .select([
      'templates.id',
      'templates.project_id',
      'templates.name',
      'templates.tasks',
      'templates.updated_at',
      'templates.updated_at as revision',
      'projects.archived_at',
      dialect.json<Template>('templates', { ...NAMED, tasks: 'json' }).as('json'),
    ])
    .where('templates.workspace_id', '=', $.workspace_id)
    .where('templates.id', '=', $.id)
    .where(visible($)),
)

interface Shape {
  order: Order
  /** Of one project alone. */
  lone: boolean
}

/** The templates of the projects that the actor sees. */
export const templatesWhere = shaped(({ order, lone }: Shape) =>
  query((db, $: Scoped<Window & { project_id: string }>, dialect) => {
    const found = db
      .selectFrom('templates')
      .innerJoin('projects', (join) =>
        join
          .onRef('projects.workspace_id', '=', 'templates.workspace_id')
          .onRef('projects.id', '=', 'templates.project_id'),
      )
      .select([
        'templates.id',
        sql.ref<string>('templates.id').as('key'),
        dialect.json<NamedTemplate>('templates', NAMED).as('json'),
      ])
      .where('templates.workspace_id', '=', $.workspace_id)
      .where(visible($))
    const filtered = lone ? found.where('templates.project_id', '=', $.project_id) : found
    return paged(filtered, $, 'templates.id', order)
  }),
)

export const countTemplates = query((db, $: Scoped<{ project_id: string }>) =>
  db
    .selectFrom('templates')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id),
)

export const insertTemplate = command((db, $: Scoped<TemplateRow>) =>
  db
    .insertInto('templates')
    .values(
      row(
        $,
        ...(['workspace_id', 'id', 'project_id', 'name', 'tasks', 'task_count'] as const),
        ...(['created_by_id', 'created_at', 'updated_at'] as const),
      ),
    ),
)

type Changed = Scoped<Pick<TemplateRow, 'id' | 'name' | 'tasks' | 'task_count' | 'updated_at'>>

export const changeTemplate = command((db, $: Changed) =>
  db
    .updateTable('templates')
    .set(row($, 'name', 'tasks', 'task_count', 'updated_at'))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const removeTemplate = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('templates').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)
