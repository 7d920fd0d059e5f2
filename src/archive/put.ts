import { type Insertable, sql } from 'kysely'
import type { WriteTx } from '#core/tx.ts'
import { command, compiled, queryOfAll, type Scoped, shaped } from '#storage/statement.ts'
import type { Tables } from '#storage/tables.ts'

type New<T extends keyof Tables> = Omit<Insertable<Tables[T]>, 'workspace_id'>

/** Adds rows to a table of the workspace; all of them have the same columns. */
export async function put<T extends keyof Tables>(
  tx: WriteTx,
  table: T,
  rows: readonly New<T>[],
): Promise<void> {
  const [first] = rows
  if (!first) return
  const plain = rows.map((one): Record<string, unknown> => ({ ...one }))
  await tx.each(insertInto({ table, columns: Object.keys(first) }), plain)
}

const insertInto = shaped(({ table, columns }: { table: keyof Tables; columns: string[] }) =>
  command((db, $: Scoped<Record<string, unknown>>) => {
    const all = ['workspace_id', ...columns]
    const [names, slots] = [all.map((name) => sql.ref(name)), all.map((name) => sql`${$[name]}`)]
    return compiled(
      db,
      sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(slots)})`,
    )
  }),
)

/** The workspace of the transaction, with the numbers at which its log stands. */
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

/** Of members who are let in when all is there: until then nobody is one. */
export const NOT_YET = '9999-12-31T23:59:59.999Z'

export const letIn = command((db, $: Scoped) =>
  db
    .updateTable('memberships')
    .set({ removed_at: null })
    .where('workspace_id', '=', $.workspace_id)
    .where('removed_at', '=', NOT_YET),
)

type Some = { ids: readonly string[] }

/** Whether one of some ids is taken on this installation, by whatever workspace. */
export const projectAmong = queryOfAll((db, $: Some, { among }) =>
  db.selectFrom('projects').select('id').where(among('projects.id', $.ids)).limit(1),
)
export const applicationAmong = queryOfAll((db, $: Some, { among }) =>
  db.selectFrom('applications').select('id').where(among('applications.id', $.ids)).limit(1),
)
export const userOfId = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('users').select('id').where('id', '=', $.id),
)
