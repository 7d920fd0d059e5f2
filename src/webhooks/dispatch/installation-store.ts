import { sql } from 'kysely'
import { memoizeByShape, pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'

interface InstallationValue {
  name: string
  value: string
}

/** Inserts a value of the installation unless it exists. */
export const ensureInstallationValue = unscopedCommand((db, $: InstallationValue) =>
  db
    .insertInto('installation')
    .values(pickSlots($, 'name', 'value'))
    .onConflict((conflict) => conflict.doNothing()),
)

/** Inserts or replaces a value of the installation. */
export const upsertInstallationValue = unscopedCommand((db, $: InstallationValue) =>
  db
    .insertInto('installation')
    .values(pickSlots($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: $.value })),
)

/** Replaces a value of the installation if it still is the one that the caller has read. */
export const replaceInstallationValue = unscopedCommand(
  (db, $: InstallationValue & { was: string }) =>
    db
      .updateTable('installation')
      .set({ value: $.value })
      .where('name', '=', $.name)
      .where('value', '=', $.was),
)

/** Any webhook of any workspace. */
export const anyWebhook = unscopedQuery((db, _: object) =>
  db.selectFrom('webhooks').select('id').limit(1),
)

/** Whether this PostgreSQL user may read the cluster id: reading it without the privilege fails. */
export const clusterIdPermission = unscopedQuery((db, _: object) =>
  db.selectNoFrom(
    sql<number>`has_function_privilege('pg_control_system()', 'execute')::int`.as('may'),
  ),
)

/** Identifies the cluster, the database and the table in PostgreSQL. */
export const postgresIdentity = memoizeByShape((canReadCluster: boolean) => {
  const cluster = canReadCluster
    ? sql`(select system_identifier from pg_control_system())::text`
    : sql`current_database()`
  return unscopedQuery((db, _: object) =>
    db.selectNoFrom(
      sql<string>`concat_ws('/', ${cluster},
        (select oid from pg_database where datname = current_database()),
        to_regclass('installation')::oid)`.as('here'),
    ),
  )
})
