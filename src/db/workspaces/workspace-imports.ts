import { sql } from 'kysely'
import { command, query, type Scoped, unscopedQuery } from '../core/statement.ts'

/** Prefix of the marks in `installation` for imported workspaces; the value is the lease's end. */
const IMPORT_PREFIX = 'importing '
const markName = ($: Scoped) => sql<string>`${sql.lit(IMPORT_PREFIX)} || ${$.workspace_id}`

/** Marks the workspace as being imported, with a lease until the given time. */
export const markWorkspaceImporting = command((db, $: Scoped<{ until: string }>) =>
  db.insertInto('installation').values({ name: markName($), value: $.until }),
)

/** Extends the lease. If no row changes, the import has been ended and must add nothing more. */
export const extendWorkspaceImport = command((db, $: Scoped<{ until: string }>) =>
  db.updateTable('installation').set({ value: $.until }).where('name', '=', markName($)),
)

/** Removes the mark: the workspace is complete, or abandoned. */
export const endWorkspaceImport = command((db, $: Scoped) =>
  db.deleteFrom('installation').where('name', '=', markName($)),
)

/** Removes the mark of an import whose lease has ended. If no row changes, there was none. */
export const endStalledWorkspaceImport = command((db, $: Scoped<{ now: string }>) =>
  db.deleteFrom('installation').where('name', '=', markName($)).where('value', '<', $.now),
)

/** The end of the import's lease; no row if the workspace is not being imported. */
export const workspaceImportMark = query((db, $: Scoped) =>
  db.selectFrom('installation').select('value').where('name', '=', markName($)),
)

/** Workspaces whose import lease has ended. */
export const stalledWorkspaceImports = unscopedQuery((db, $: { now: string }) =>
  db
    .selectFrom('installation')
    .select(sql<string>`substr(name, ${sql.lit(IMPORT_PREFIX.length + 1)})`.as('id'))
    .where('name', '>', IMPORT_PREFIX)
    .where('name', '<', `${IMPORT_PREFIX}~`)
    .where('value', '<', $.now)
    .orderBy('name'),
)

/** Whether the workspace of a column is being imported. */
export const isWorkspaceImporting = (column: 'workspaces.id' | 'time_entries.workspace_id') =>
  sql<boolean>`exists (select 1 from installation
    where installation.name = ${sql.lit(IMPORT_PREFIX)} || ${sql.ref(column)})`
