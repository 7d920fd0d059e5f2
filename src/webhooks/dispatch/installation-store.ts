import { sql } from 'kysely'
import { memoizeByShape, unscopedQuery } from '#db/core/statement.ts'

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
