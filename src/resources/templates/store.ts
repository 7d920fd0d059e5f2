import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { FieldSource } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import {
  command,
  insertRow,
  memoizeByShape,
  pickSlots,
  query,
  type Scoped,
} from '#db/core/statement.ts'
import type { TemplateRow } from '#db/schema/tables.ts'
import type { Template, TemplateSummary } from './internal.ts'

const SUMMARY_SOURCES = {
  id: 'word',
  project_id: 'word',
  name: 'plain',
  task_count: 'whole',
  created_by_id: 'word',
  created_at: 'word',
  updated_at: 'word',
} as const satisfies { [F in keyof TemplateSummary]: FieldSource }

/** A template of a project that the actor sees. */
export const templateById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('templates')
    .innerJoin('projects', 'projects.id', 'templates.project_id')
    .select([
      'templates.id',
      'templates.project_id',
      'templates.name',
      'templates.tasks',
      'templates.updated_at',
      'templates.updated_at as revision',
      'projects.archived_at',
      dialect.json<Template>('templates', { ...SUMMARY_SOURCES, tasks: 'json' }).as('json'),
    ])
    .where('templates.id', '=', $.id)
    .where(isProjectVisible($)),
)

interface TemplateQueryShape {
  order: ListOrder
  ofOneProject: boolean
}

/** The templates of the projects that the actor sees. */
export const selectTemplates = memoizeByShape(({ order, ofOneProject }: TemplateQueryShape) =>
  query((db, $: Scoped<PageWindow & { project_id: string }>, dialect) => {
    const rows = db
      .selectFrom('templates')
      .innerJoin('projects', 'projects.id', 'templates.project_id')
      .select([
        'templates.id',
        sql.ref<string>('templates.id').as('key'),
        dialect.json<TemplateSummary>('templates', SUMMARY_SOURCES).as('json'),
      ])
      .where(isProjectVisible($))
    const filtered = ofOneProject ? rows.where('templates.project_id', '=', $.project_id) : rows
    return paginate(filtered, $, 'templates.id', order)
  }),
)

export const countTemplates = query((db, $: Scoped<{ project_id: string }>) =>
  db
    .selectFrom('templates')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('project_id', '=', $.project_id),
)

export const insertTemplate = insertRow(
  'templates',
  'id',
  'project_id',
  'name',
  'tasks',
  'task_count',
  'created_by_id',
  'created_at',
  'updated_at',
)

type TemplateChangeParams = Scoped<
  Pick<TemplateRow, 'id' | 'name' | 'tasks' | 'task_count' | 'updated_at'>
>

export const changeTemplate = command((db, $: TemplateChangeParams) =>
  db
    .updateTable('templates')
    .set(pickSlots($, 'name', 'tasks', 'task_count', 'updated_at'))
    .where('id', '=', $.id),
)

export const removeTemplate = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('templates').where('id', '=', $.id),
)
