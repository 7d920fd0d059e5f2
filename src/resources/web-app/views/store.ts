import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import {
  command,
  insertRow,
  query,
  type Scoped,
  type StatementBuilder,
} from '#db/core/statement.ts'
import type { ViewRow } from '#db/schema/tables.ts'
import { MAX_OWN_VIEWS, MAX_PINNED_VIEWS, MAX_SHARED_VIEWS, type View } from './internal.ts'

/** The JSON of a view. */
const viewJson = ({ json, engine }: Dialect) =>
  json<View>('views', {
    id: 'word',
    project_id: 'plain',
    name: 'plain',
    view: 'word',
    f: sql.ref('views.filter'),
    sort: 'word',
    group: sql.ref('views.grouping'),
    lanes: 'word',
    is_shared:
      engine === 'sqlite'
        ? sql`json(iif(views.only_for = '', 'true', 'false'))`
        : sql`views.only_for = ''`,
    created_by_id: 'word',
    created_at: 'word',
    updated_at: 'word',
  })

/**
 * Views that the actor sees: own and shared ones of projects that they see, and of all projects. A name
 * or filter of all projects may tell of some that guests do not see, so they have only those that they
 * made.
 */
const visibleViews = (db: Pick<StatementBuilder, 'selectFrom'>, $: Scoped) =>
  db
    .selectFrom('views')
    .leftJoin('projects', 'projects.id', 'views.project_id')
    .where((is) => is('views.only_for', 'in', [sql.lit(''), $.viewer_id]))
    .where((is) =>
      is.or([
        isProjectVisible($),
        is.and([
          is('views.project_id', 'is', null),
          is.or([
            is('views.created_by_id', '=', $.viewer_id),
            sql<boolean>`${$.viewer_sees_open} = 1`,
          ]),
        ]),
      ]),
    )

/** A visible view with the columns that say who may change it. */
export const viewById = query((db, $: Scoped<{ id: string }>, dialect) =>
  visibleViews(db, $)
    .select(['views.id', 'views.project_id', 'views.name', 'views.view', 'views.filter'])
    .select(['views.sort', 'views.grouping', 'views.lanes', 'views.only_for'])
    .select(['views.created_by_id', 'views.updated_at', 'views.updated_at as revision'])
    .select(['projects.lead_id'])
    .select(viewJson(dialect).as('json'))
    .where('views.id', '=', $.id),
)

/** The visible views of a page; the limits keep their number small. */
const viewsOfPage = (db: Pick<StatementBuilder, 'selectFrom'>, $: Scoped, dialect: Dialect) =>
  visibleViews(db, $)
    .select(['views.only_for', viewJson(dialect).as('json')])
    .orderBy('views.id')
    .limit(MAX_SHARED_VIEWS + MAX_OWN_VIEWS)

export const viewsOfProject = query((db, $: Scoped<{ project_id: string }>, dialect) =>
  viewsOfPage(db, $, dialect).where('views.project_id', '=', $.project_id),
)

export const viewsOfAllProjects = query((db, $: Scoped, dialect) =>
  viewsOfPage(db, $, dialect).where('views.project_id', 'is', null),
)

/** The pinned views of the actor that the actor still sees. */
export const pinnedViews = query((db, $: Scoped, dialect) =>
  visibleViews(db, $)
    .innerJoin('view_pins', 'view_pins.view_id', 'views.id')
    .select(['views.id', viewJson(dialect).as('json')])
    .where('view_pins.user_id', '=', $.viewer_id)
    .orderBy('view_pins.position')
    .limit(MAX_PINNED_VIEWS),
)

/** Who has pinned a view. */
export const pinsOfView = query((db, $: Scoped<{ id: string }>) =>
  db.selectFrom('view_pins').select(['user_id', 'position']).where('view_id', '=', $.id),
)

/** Which of some views the actor sees. */
export const visibleViewsByIds = query((db, $: Scoped<{ ids: readonly string[] }>, { inList }) =>
  visibleViews(db, $).select('views.id').where(inList('views.id', $.ids)),
)

export const insertView = insertRow(
  'views',
  'id',
  'project_id',
  'name',
  'view',
  'filter',
  'sort',
  'grouping',
  'lanes',
  'only_for',
  'created_by_id',
  'created_at',
  'updated_at',
)

type ViewChange = Pick<
  ViewRow,
  'id' | 'name' | 'view' | 'filter' | 'sort' | 'grouping' | 'lanes' | 'only_for' | 'updated_at'
>

export const changeView = command((db, $: Scoped<ViewChange>) =>
  db
    .updateTable('views')
    .set({ name: $.name, view: $.view, filter: $.filter, sort: $.sort })
    .set({ grouping: $.grouping, lanes: $.lanes, only_for: $.only_for, updated_at: $.updated_at })
    .where('id', '=', $.id),
)

export const removeView = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('views').where('id', '=', $.id),
)

/** Removes the pins of all users. */
export const unpinView = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('view_pins').where('view_id', '=', $.id),
)

export const clearPins = command((db, $: Scoped) =>
  db.deleteFrom('view_pins').where('user_id', '=', $.viewer_id),
)

export const insertPin = insertRow('view_pins', 'user_id', 'view_id', 'position')
