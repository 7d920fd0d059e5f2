import { notFound } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { REMOVED_NAME, removedAddress } from '#lib/blank.ts'
import { fold } from '#lib/fold.ts'
import { wordsOf } from '#lib/words.ts'
import { markOf, noteErasure } from '#storage/erasure.ts'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import { INSTALLATION } from '#wire/audit.ts'
import { holdAddresses, removeResetsOf } from './account.ts'
import { advanceGeneration } from './generation.ts'

/**
 * Makes a tombstone of an account: no name, no address, no way in. The id stays, so that what the person
 * made stays somebody's. What else holds the name is taken away by upkeep, which finds here what to look
 * for, sealed. The memberships have ended before. 404 for no account.
 */
export async function eraseAccount(tx: WriteTx, user_id: string): Promise<void> {
  await holdAddresses(tx)
  const before = await tx.one(accountToErase, { id: user_id })
  if (!before) throw notFound()
  await tx.run(putTombstone, {
    ...{ id: user_id, email: removedAddress(user_id), name: REMOVED_NAME, updated_at: tx.now },
  })
  const name_words = ` ${wordsOf(REMOVED_NAME).join(' ')}`
  await tx.run(renameMemberships, { user_id, name_key: fold(REMOVED_NAME), name_words })
  await tx.run(endSessions, { user_id })
  await tx.run(removeResetsOf, { user_id })
  for (const remove of WAYS_IN) await tx.run(remove, { user_id })
  const sealed = tx.seal(JSON.stringify(before))
  await tx.run(noteErasure, { name: markOf(user_id), value: JSON.stringify({ sealed }) })
  tx.audit('person.erased', user_id, {}, INSTALLATION)
  await advanceGeneration(tx)
}

const accountToErase = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('users').select(['name', 'email']).where('id', '=', $.id),
)

type Tombstone = { id: string; email: string; name: string; updated_at: string }
const putTombstone = commandOfAll((db, $: Tombstone) =>
  db
    .updateTable('users')
    .set({
      ...row($, 'email', 'name', 'updated_at'),
      ...{ avatar_url: null, password_hash: null, timezone: 'UTC', locale: 'en' },
      ...{ last_workspace_id: null, verified_email: null },
    })
    .where('id', '=', $.id),
)

const renameMemberships = commandOfAll(
  (db, $: { user_id: string; name_key: string; name_words: string }) =>
    db
      .updateTable('memberships')
      .set({ ...row($, 'name_key', 'name_words'), last_active_at: null })
      .where('user_id', '=', $.user_id),
)

/** What else opened the account: it names the person at the company's provider, and on devices. */
const WAYS_IN = (
  ['second_factors', 'recovery_codes', 'passkeys', 'company_links', 'sign_in_steps'] as const
).map((table) =>
  commandOfAll((db, $: { user_id: string }) =>
    db.deleteFrom(table).where('user_id', '=', $.user_id),
  ),
)

const endSessions = commandOfAll((db, $: { user_id: string }) =>
  db.deleteFrom('sessions').where('user_id', '=', $.user_id),
)
