import { notFound } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { erasureMarkName, saveErasureProgress } from '#db/retention/person-erasure.ts'
import { REMOVED_NAME, removedEmailOf } from '#lib/anonymize.ts'
import { foldCase } from '#lib/fold-case.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import { INSTALLATION_CHAIN } from '#wire/audit-actions.ts'
import { bumpAuthVersion } from '../auth-version.ts'
import { lockEmailAddresses, removeUserPasswordResets } from './accounts.ts'

/**
 * Replaces an account with a tombstone that has no name, no address and no credentials. The id
 * stays, so that the person's records keep their author. The background jobs remove the name from
 * all other places; for them the old name and address are stored here, encrypted. The caller must
 * have ended all memberships before. Throws 404 if there is no account.
 */
export async function anonymizeAccount(tx: WriteTx, user_id: string): Promise<void> {
  await lockEmailAddresses(tx)
  const account = await tx.one(accountToErase, { id: user_id })
  if (!account) throw notFound()
  await tx.run(putTombstone, {
    id: user_id,
    email: removedEmailOf(user_id),
    name: REMOVED_NAME,
    updated_at: tx.now,
  })
  const name_words = ` ${extractSearchWords(REMOVED_NAME).join(' ')}`
  await tx.run(anonymizeMemberships, { user_id, name_key: foldCase(REMOVED_NAME), name_words })
  await tx.run(deleteSessions, { user_id })
  await tx.run(removeUserPasswordResets, { user_id })
  for (const remove of CREDENTIAL_DELETIONS) await tx.run(remove, { user_id })
  const sealed = tx.encrypt(JSON.stringify(account))
  await tx.run(saveErasureProgress, {
    name: erasureMarkName(user_id),
    value: JSON.stringify({ sealed }),
  })
  tx.audit('person.erased', user_id, {}, INSTALLATION_CHAIN)
  await bumpAuthVersion(tx)
}

const accountToErase = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('users').select(['name', 'email']).where('id', '=', $.id),
)

type Tombstone = { id: string; email: string; name: string; updated_at: string }
const putTombstone = unscopedCommand((db, $: Tombstone) =>
  db
    .updateTable('users')
    .set({
      ...pickSlots($, 'email', 'name', 'updated_at'),
      avatar_url: null,
      password_hash: null,
      timezone: 'UTC',
      locale: 'en',
      last_workspace_id: null,
      verified_email: null,
    })
    .where('id', '=', $.id),
)

const anonymizeMemberships = unscopedCommand(
  (db, $: { user_id: string; name_key: string; name_words: string }) =>
    db
      .updateTable('memberships')
      .set({ ...pickSlots($, 'name_key', 'name_words'), last_active_at: null })
      .where('user_id', '=', $.user_id),
)

/**
 * Everything else that opened the account. It also identifies the person at the SSO provider and on
 * devices.
 */
const CREDENTIAL_DELETIONS = (
  ['second_factors', 'recovery_codes', 'passkeys', 'company_links', 'sign_in_steps'] as const
).map((table) =>
  unscopedCommand((db, $: { user_id: string }) =>
    db.deleteFrom(table).where('user_id', '=', $.user_id),
  ),
)

const deleteSessions = unscopedCommand((db, $: { user_id: string }) =>
  db.deleteFrom('sessions').where('user_id', '=', $.user_id),
)
