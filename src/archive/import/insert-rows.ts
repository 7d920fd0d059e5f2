import { type Insertable, sql } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import {
  command,
  memoizeByShape,
  rawStatement,
  type Scoped,
  unscopedQuery,
} from '#db/core/statement.ts'
import type { Tables } from '#db/schema/tables.ts'

type NewTableRow<T extends keyof Tables> = Omit<Insertable<Tables[T]>, 'workspace_id'>

/** Inserts rows into a table of the workspace. All must have the same columns. */
export async function insertRows<T extends keyof Tables>(
  tx: WriteTx,
  table: T,
  rows: readonly NewTableRow<T>[],
): Promise<void> {
  const [first] = rows
  if (!first) return
  const plain = rows.map((one): Record<string, unknown> => ({ ...one }))
  await tx.runEach(insertInto({ table, columns: Object.keys(first) }), plain)
}

const insertInto = memoizeByShape(
  ({ table, columns }: { table: keyof Tables; columns: string[] }) =>
    command((db, $: Scoped<Record<string, unknown>>) => {
      const all = ['workspace_id', ...columns]
      const [names, slots] = [all.map((name) => sql.ref(name)), all.map((name) => sql`${$[name]}`)]
      return rawStatement(
        db,
        sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(slots)})`,
      )
    }),
)

/** Inserts the workspace of the transaction, with the positions of its event log. */
export const insertWorkspace = command(
  (db, $: Scoped<Omit<Insertable<Tables['workspaces']>, 'id'>>) =>
    db.insertInto('workspaces').values({
      id: $.workspace_id,
      name: $.name,
      plan: $.plan,
      timezone: $.timezone,
      last_sequence: $.last_sequence,
      fanned_out_sequence: $.fanned_out_sequence,
      log_from_sequence: $.log_from_sequence,
      attachment_bytes: $.attachment_bytes,
      created_at: $.created_at,
      updated_at: $.updated_at,
    }),
)

/** The `removed_at` of members until the import is complete: nobody is an active member before. */
export const PENDING_REMOVED_AT = '9999-12-31T23:59:59.999Z'

export const activateMembers = command((db, $: Scoped) =>
  db
    .updateTable('memberships')
    .set({ removed_at: null })
    .where('workspace_id', '=', $.workspace_id)
    .where('removed_at', '=', PENDING_REMOVED_AT),
)

type IdList = { ids: readonly string[] }

/** A project with one of these ids, in any workspace of the installation. */
export const projectWithAnyId = unscopedQuery((db, $: IdList, { inList }) =>
  db.selectFrom('projects').select('id').where(inList('projects.id', $.ids)).limit(1),
)
/** The same for applications. */
export const applicationWithAnyId = unscopedQuery((db, $: IdList, { inList }) =>
  db.selectFrom('applications').select('id').where(inList('applications.id', $.ids)).limit(1),
)
export const userWithId = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('users').select('id').where('id', '=', $.id),
)
