import { sql } from 'kysely'
import { command, query, queryOfAll, type Scoped } from './statement.ts'

/** Before the id of each workspace that is being imported, in `installation`; the value is until when. */
const PREFIX = 'importing '
const name = ($: Scoped) => sql<string>`${sql.lit(PREFIX)} || ${$.workspace_id}`

/** Says that the workspace is being imported, until then if nothing more is heard. */
export const beginImport = command((db, $: Scoped<{ until: string }>) =>
  db.insertInto('installation').values({ name: name($), value: $.until }),
)

/** Says it again; no row: it was given up meanwhile, and nothing may be added any more. */
export const goOnImporting = command((db, $: Scoped<{ until: string }>) =>
  db.updateTable('installation').set({ value: $.until }).where('name', '=', name($)),
)

/** It is a workspace like any other now, or none. */
export const endImport = command((db, $: Scoped) =>
  db.deleteFrom('installation').where('name', '=', name($)),
)

/** Ends one of which nothing was heard in time; no row: there is none. */
export const endSilentImport = command((db, $: Scoped<{ now: string }>) =>
  db.deleteFrom('installation').where('name', '=', name($)).where('value', '<', $.now),
)

/** Until when the workspace is being imported; none: it is not. */
export const importOf = query((db, $: Scoped) =>
  db.selectFrom('installation').select('value').where('name', '=', name($)),
)

/** The workspaces of whose import nothing was heard in time. */
export const silentImports = queryOfAll((db, $: { now: string }) =>
  db
    .selectFrom('installation')
    .select(sql<string>`substr(name, ${sql.lit(PREFIX.length + 1)})`.as('id'))
    .where('name', '>', PREFIX)
    .where('name', '<', `${PREFIX}~`)
    .where('value', '<', $.now)
    .orderBy('name'),
)

/** Whether the workspace of a column is being imported. */
export const isImported = (column: 'workspaces.id' | 'time_entries.workspace_id') =>
  sql<boolean>`exists (select 1 from installation
    where installation.name = ${sql.lit(PREFIX)} || ${sql.ref(column)})`
