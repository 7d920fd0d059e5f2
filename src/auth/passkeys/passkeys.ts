import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { PasskeyRow } from '#db/schema/tables.ts'
import { newId } from '#lib/id.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'

export const MAX_PASSKEYS_PER_USER = 20

/** Lists the passkeys of a user, oldest first. */
export const listPasskeys = (tx: ReadTx, user_id: string) => tx.all(passkeysByUser, { user_id })

/** Finds the passkey with a credential id, and its user. */
export const findPasskey = (tx: ReadTx, credential: string) =>
  tx.one(passkeyByCredential, { credential })

type NewPasskey = Omit<PasskeyRow, 'id' | 'created_at' | 'last_used_at'>

/** Stores a new passkey. Returns undefined if its credential id is registered already. */
export async function addPasskey(tx: WriteTx, input: NewPasskey) {
  const passkey = { ...input, id: newId('pky', tx.nowMs), created_at: tx.now, last_used_at: null }
  if ((await tx.run(insertPasskey, passkey)) === 0) return undefined
  tx.audit('passkey.added', passkey.id, { user_id: input.user_id }, INSTALLATION_AUDIT_LOG)
  const { id, name, created_at, last_used_at } = passkey
  return { id, name, created_at, last_used_at }
}

/**
 * Records a use. Returns false if the signature counter did not increase: then the authenticator
 * may have been cloned (WebAuthn §6.1.1).
 */
export async function recordPasskeyUse(
  tx: WriteTx,
  { id, user_id, counter }: Pick<PasskeyRow, 'id' | 'user_id' | 'counter'>,
): Promise<boolean> {
  if ((await tx.run(updatePasskeyUse, { id, counter, last_used_at: tx.now })) === 1) return true
  tx.audit('passkey.refused', id, { user_id }, INSTALLATION_AUDIT_LOG)
  return false
}

/** Returns whether the passkey existed. */
export async function removePasskey(tx: WriteTx, user_id: string, id: string): Promise<boolean> {
  if ((await tx.run(deletePasskey, { id, user_id })) === 0) return false
  tx.audit('passkey.removed', id, { user_id }, INSTALLATION_AUDIT_LOG)
  return true
}

/** Removes all passkeys of a user. */
export async function removeAllPasskeys(tx: WriteTx, user_id: string): Promise<void> {
  for (const { id } of await listPasskeys(tx, user_id)) await removePasskey(tx, user_id, id)
}

const passkeysByUser = unscopedQuery((db, $: { user_id: string }) =>
  db
    .selectFrom('passkeys')
    .select(['id', 'name', 'credential', 'created_at', 'last_used_at'])
    .where('user_id', '=', $.user_id)
    .orderBy('id'),
)

const passkeyByCredential = unscopedQuery((db, $: { credential: string }) =>
  db
    .selectFrom('passkeys')
    .innerJoin('users', 'users.id', 'passkeys.user_id')
    .select(['passkeys.id', 'passkeys.user_id', 'public_key', 'users.last_workspace_id'])
    .where('credential', '=', $.credential),
)

const insertPasskey = unscopedCommand((db, $: PasskeyRow) =>
  db
    .insertInto('passkeys')
    .values({
      ...pickSlots($, 'id', 'user_id', 'credential', 'public_key', 'counter', 'transports', 'name'),
      ...pickSlots($, 'created_at', 'last_used_at'),
    })
    .onConflict((conflict) => conflict.column('credential').doNothing()),
)

/** Authenticators without a signature counter always report 0. */
const updatePasskeyUse = unscopedCommand(
  (db, $: { id: string; counter: number; last_used_at: string }) =>
    db
      .updateTable('passkeys')
      .set(pickSlots($, 'counter', 'last_used_at'))
      .where('id', '=', $.id)
      .where((is) =>
        is.or([
          is('counter', '<', $.counter),
          is.and([is('counter', '=', 0), is(is.val(0), '=', $.counter)]),
        ]),
      ),
)

const deletePasskey = unscopedCommand((db, $: { id: string; user_id: string }) =>
  db.deleteFrom('passkeys').where('id', '=', $.id).where('user_id', '=', $.user_id),
)
