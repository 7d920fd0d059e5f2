import type { WriteTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { GrantRow } from '#storage/tables.ts'
import type { Scope } from '#wire/scopes.ts'
import { usableIn } from './usable.ts'

/** A grant for which no token was fetched meanwhile comes to nothing. */
const UNUSED_MS = 15 * 60 * 1000

interface Allowed {
  workspace_id: string
  user_id: string
  application_id: string
  scopes: readonly Scope[]
}

/** Writes down what a person allows an application in a workspace; gives the id of the grant. */
export async function allow(
  tx: WriteTx,
  { workspace_id, scopes, ...who }: Allowed,
): Promise<string> {
  const id = newId('grt', tx.instant)
  await tx.run(insertGrant, {
    ...{ id, ...who, in_workspace: workspace_id },
    scopes: JSON.stringify(scopes.toSorted()),
    created_at: tx.now,
    last_used_at: null,
    expires_at: timestampOf(tx.instant + UNUSED_MS),
  })
  tx.audit('grant.created', id, { ...who, scopes: scopes.toSorted() }, workspace_id)
  return id
}

/** The slot `workspace_id` would be filled in by the transaction, which may be of another. */
type Inserted = Omit<GrantRow, 'workspace_id'> & { in_workspace: string }
const insertGrant = commandOfAll((db, $: Inserted) =>
  db.insertInto('grants').values({
    ...row($, 'id', 'user_id', 'application_id', 'scopes'),
    ...row($, 'created_at', 'last_used_at', 'expires_at'),
    workspace_id: $.in_workspace,
  }),
)

/** A grant with what its application may ask for now, unless it may no longer be used in its workspace. */
export const grantById = queryOfAll((db, $: { id: string }) =>
  db
    .selectFrom('grants')
    .innerJoin('applications', 'applications.id', 'grants.application_id')
    .select([
      ...(['grants.workspace_id', 'grants.user_id', 'grants.application_id'] as const),
      'grants.scopes',
      ...(['grants.created_at', 'grants.expires_at'] as const),
      'applications.scopes as registered_scopes',
    ])
    .where('grants.id', '=', $.id)
    .where(usableIn('grants.workspace_id')),
)

/** Holds the grant while its tokens change, so that they do so one after the other; 0 if it has ended. */
export const holdGrant = commandOfAll((db, $: { id: string; expires_at: string }) =>
  db
    .updateTable('grants')
    .set((is) => ({
      expires_at: is
        .case()
        .when('expires_at', '<', $.expires_at)
        .then(is.val($.expires_at))
        .else(is.ref('expires_at'))
        .end(),
    }))
    .where('id', '=', $.id),
)

/** Ends a grant; all codes and tokens go with it. */
export const endGrant = commandOfAll((db, $: { id: string }) =>
  db.deleteFrom('grants').where('id', '=', $.id),
)

export const touchGrant = commandOfAll((db, $: { id: string; at: string }) =>
  db.updateTable('grants').set({ last_used_at: $.at }).where('id', '=', $.id),
)
