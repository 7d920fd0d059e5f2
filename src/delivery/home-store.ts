import { sql } from 'kysely'
import { commandOfAll, queryOfAll, row, shaped } from '#storage/statement.ts'

interface Value {
  name: string
  value: string
}

/** Keeps a value of the installation unless there is one. */
export const keepInstallationValue = commandOfAll((db, $: Value) =>
  db
    .insertInto('installation')
    .values(row($, 'name', 'value'))
    .onConflict((conflict) => conflict.doNothing()),
)

/** Keeps a value of the installation in place of what there was. */
export const setInstallationValue = commandOfAll((db, $: Value) =>
  db
    .insertInto('installation')
    .values(row($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: $.value })),
)

/** The same, if it was as the caller thinks. */
export const changeInstallationValue = commandOfAll((db, $: Value & { was: string }) =>
  db
    .updateTable('installation')
    .set({ value: $.value })
    .where('name', '=', $.name)
    .where('value', '=', $.was),
)

/** A webhook of any workspace. */
export const hasWebhooks = queryOfAll((db, _: object) =>
  db.selectFrom('webhooks').select('id').limit(1),
)

/** Whether this user of PostgreSQL may ask which cluster it is: asking without leave is an error. */
export const postgresTells = queryOfAll((db, _: object) =>
  db.selectNoFrom(
    sql<number>`has_function_privilege('pg_control_system()', 'execute')::int`.as('may'),
  ),
)

/** Which cluster, database and table of PostgreSQL this is. */
export const postgresHere = shaped((mayAsk: boolean) => {
  const cluster = mayAsk
    ? sql`(select system_identifier from pg_control_system())::text`
    : sql`current_database()`
  return queryOfAll((db, _: object) =>
    db.selectNoFrom(
      sql<string>`concat_ws('/', ${cluster},
        (select oid from pg_database where datname = current_database()),
        to_regclass('installation')::oid)`.as('here'),
    ),
  )
})
