import type { ReadTx, WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { PasskeyRow } from '#storage/tables.ts'
import { INSTALLATION } from '#wire/audit.ts'

/** So many a person may have. */
export const MOST_PASSKEYS = 20

/** The passkeys of a person, oldest first. */
export const passkeysOf = (tx: ReadTx, user_id: string) => tx.all(passkeysByUser, { user_id })

/** The passkey that an authenticator names, with whose it is. */
export const findPasskey = (tx: ReadTx, credential: string) =>
  tx.one(passkeyByCredential, { credential })

type NewPasskey = Omit<PasskeyRow, 'id' | 'created_at' | 'last_used_at'>

/** Keeps a passkey that was just made. Undefined where its authenticator is known already. */
export async function addPasskey(tx: WriteTx, wanted: NewPasskey) {
  const made = { ...wanted, id: newId('pky', tx.instant), created_at: tx.now, last_used_at: null }
  if ((await tx.run(insertPasskey, made)) === 0) return undefined
  tx.audit('passkey.added', made.id, { user_id: wanted.user_id }, INSTALLATION)
  const { id, name, created_at, last_used_at } = made
  return { id, name, created_at, last_used_at }
}

/** Notes a use. False where the count went back: then there are two of what can only be one. */
export async function countPasskey(
  tx: WriteTx,
  { id, user_id, counter }: Pick<PasskeyRow, 'id' | 'user_id' | 'counter'>,
): Promise<boolean> {
  if ((await tx.run(touchPasskey, { id, counter, last_used_at: tx.now })) === 1) return true
  tx.audit('passkey.refused', id, { user_id }, INSTALLATION)
  return false
}

/** Tells whether it was there. */
export async function removePasskey(tx: WriteTx, user_id: string, id: string): Promise<boolean> {
  if ((await tx.run(deletePasskey, { id, user_id })) === 0) return false
  tx.audit('passkey.removed', id, { user_id }, INSTALLATION)
  return true
}

/** Ends all of a person. */
export async function removePasskeys(tx: WriteTx, user_id: string): Promise<void> {
  for (const { id } of await passkeysOf(tx, user_id)) await removePasskey(tx, user_id, id)
}

const passkeysByUser = queryOfAll((db, $: { user_id: string }) =>
  db
    .selectFrom('passkeys')
    .select(['id', 'name', 'credential', 'created_at', 'last_used_at'])
    .where('user_id', '=', $.user_id)
    .orderBy('id'),
)

const passkeyByCredential = queryOfAll((db, $: { credential: string }) =>
  db
    .selectFrom('passkeys')
    .innerJoin('users', 'users.id', 'passkeys.user_id')
    .select(['passkeys.id', 'passkeys.user_id', 'public_key', 'users.last_workspace_id'])
    .where('credential', '=', $.credential),
)

const insertPasskey = commandOfAll((db, $: PasskeyRow) =>
  db
    .insertInto('passkeys')
    .values({
      ...row($, 'id', 'user_id', 'credential', 'public_key', 'counter', 'transports', 'name'),
      ...row($, 'created_at', 'last_used_at'),
    })
    .onConflict((conflict) => conflict.column('credential').doNothing()),
)

/** Those that do not count say 0 each time. */
const touchPasskey = commandOfAll((db, $: { id: string; counter: number; last_used_at: string }) =>
  db
    .updateTable('passkeys')
    .set(row($, 'counter', 'last_used_at'))
    .where('id', '=', $.id)
    .where((is) =>
      is.or([
        is('counter', '<', $.counter),
        is.and([is('counter', '=', 0), is(is.val(0), '=', $.counter)]),
      ]),
    ),
)

const deletePasskey = commandOfAll((db, $: { id: string; user_id: string }) =>
  db.deleteFrom('passkeys').where('id', '=', $.id).where('user_id', '=', $.user_id),
)
