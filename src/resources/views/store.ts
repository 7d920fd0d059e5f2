import { sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import type { Dialect } from '#storage/dialect.ts'
import { type Builder, command, query, row, type Scoped } from '#storage/statement.ts'
import type { ViewRow } from '#storage/tables.ts'
import { MOST_OWN, MOST_PINS, MOST_SHARED, type View } from './internal.ts'

/** A view as it is shown: the one place that says so. */
const shown = ({ json, engine }: Dialect) =>
  json<View>('views', {
    id: 'word',
    project_id: 'word',
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

/** Views that the actor sees: shared ones and their own, in projects that they see. */
const seen = (db: Pick<Builder, 'selectFrom'>, $: Scoped) =>
  db
    .selectFrom('views')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'views.workspace_id')
        .onRef('projects.id', '=', 'views.project_id'),
    )
    .where('views.workspace_id', '=', $.workspace_id)
    .where((is) => is('views.only_for', 'in', [sql.lit(''), $.viewer_id]))
    .where(visible($))

/** One of them, with what says who may change it. */
export const viewById = query((db, $: Scoped<{ id: string }>, dialect) =>
  seen(db, $)
    .select(['views.id', 'views.project_id', 'views.name', 'views.view', 'views.filter'])
    .select(['views.sort', 'views.grouping', 'views.lanes', 'views.only_for'])
    .select(['views.created_by_id', 'views.updated_at', 'views.updated_at as revision'])
    .select(['projects.lead_id'])
    .select(shown(dialect).as('json'))
    .where('views.id', '=', $.id),
)

/** The views of a project: as many as there may be at the most. */
export const viewsOfProject = query((db, $: Scoped<{ project_id: string }>, dialect) =>
  seen(db, $)
    .select(shown(dialect).as('json'))
    .where('views.project_id', '=', $.project_id)
    .orderBy('views.id')
    .limit(MOST_SHARED + MOST_OWN),
)

/** What the actor has pinned, as far as they see it. */
export const pinnedViews = query((db, $: Scoped, dialect) =>
  seen(db, $)
    .innerJoin('view_pins', (join) =>
      join
        .onRef('view_pins.workspace_id', '=', 'views.workspace_id')
        .onRef('view_pins.view_id', '=', 'views.id'),
    )
    .select(['views.id', shown(dialect).as('json')])
    .where('view_pins.user_id', '=', $.viewer_id)
    .orderBy('view_pins.position')
    .limit(MOST_PINS),
)

/** Those of some views that the actor sees, with their projects. */
export const seenAmong = query((db, $: Scoped<{ ids: readonly string[] }>, { among }) =>
  seen(db, $).select(['views.id', 'views.project_id']).where(among('views.id', $.ids)),
)

/** How many of a project are shared (`only_for` empty), or one person's alone. */
export const countViews = query((db, $: Scoped<{ project_id: string; only_for: string }>) =>
  db
    .selectFrom('views')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id)
    .where('only_for', '=', $.only_for),
)

export const insertView = command((db, $: Scoped<ViewRow>) =>
  db
    .insertInto('views')
    .values(
      row(
        $,
        ...(['workspace_id', 'id', 'project_id', 'name', 'view', 'filter', 'sort'] as const),
        ...(['grouping', 'lanes', 'only_for', 'created_by_id'] as const),
        ...(['created_at', 'updated_at'] as const),
      ),
    ),
)

type Changed = Pick<
  ViewRow,
  'id' | 'name' | 'view' | 'filter' | 'sort' | 'grouping' | 'lanes' | 'only_for' | 'updated_at'
>

export const changeView = command((db, $: Scoped<Changed>) =>
  db
    .updateTable('views')
    .set({ name: $.name, view: $.view, filter: $.filter, sort: $.sort })
    .set({ grouping: $.grouping, lanes: $.lanes, only_for: $.only_for, updated_at: $.updated_at })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const removeView = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('views').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)

/** Of everybody. */
export const unpinView = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('view_pins').where('workspace_id', '=', $.workspace_id).where('view_id', '=', $.id),
)

export const clearPins = command((db, $: Scoped) =>
  db
    .deleteFrom('view_pins')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.viewer_id),
)

export const insertPin = command(
  (db, $: Scoped<{ user_id: string; view_id: string; position: number }>) =>
    db.insertInto('view_pins').values(row($, 'workspace_id', 'user_id', 'view_id', 'position')),
)
