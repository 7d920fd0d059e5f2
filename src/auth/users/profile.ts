import { conflict } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import type { WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { UserRow } from '#db/schema/tables.ts'
import { foldCase } from '#lib/fold-case.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import { INSTALLATION_CHAIN } from '#wire/audit-actions.ts'
import { bumpAuthVersion } from '../auth-version.ts'
import { findAccountByEmail, lockEmailAddresses, removeUserPasswordResets } from './accounts.ts'

/** The profile of a user; it is the same in all workspaces. */
export type Profile = Pick<UserRow, 'name' | 'avatar_url' | 'timezone' | 'locale' | 'email'>

/** New values of some fields; undefined ones stay as they are. */
export type ProfileChanges = { [K in keyof Profile]?: Profile[K] | undefined }

/**
 * Changes the given fields of an account and returns whether any value has changed. Throws 409
 * `email_taken`. A new address invalidates the password reset links that were sent to the old one.
 */
export async function changeProfile(
  tx: WriteTx,
  user_id: string,
  changes: ProfileChanges,
): Promise<boolean> {
  if (changes.email !== undefined) await lockEmailAddresses(tx)
  const before = await tx.one(lockedProfileById, { id: user_id })
  if (!before) throw new Error('There is no account to change')
  const definedChanges = Object.entries(changes).filter(([, value]) => value !== undefined)
  const after = { ...before, ...(Object.fromEntries(definedChanges) as Partial<Profile>) }
  const isDifferent = (name: keyof Profile) => before[name] !== after[name]
  if (!FIELDS.some(isDifferent)) return false
  if (isDifferent('email')) {
    if (await findAccountByEmail(tx, after.email)) throw emailTaken()
    await tx.run(removeUserPasswordResets, { user_id })
    tx.audit('email.changed', user_id, {}, INSTALLATION_CHAIN)
  }
  await tx.run(updateProfile, {
    ...after,
    id: user_id,
    updated_at: nextUpdatedAt(tx, before.updated_at),
  })
  if (isDifferent('name')) {
    const name_words = ` ${extractSearchWords(after.name).join(' ')}`
    await tx.run(renameMemberships, { user_id, name_key: foldCase(after.name), name_words })
  }
  await bumpAuthVersion(tx)
  return true
}

export const emailTaken = () =>
  conflict('email_taken', 'An account with this email address already exists.')

const FIELDS = ['name', 'avatar_url', 'timezone', 'locale', 'email'] as const

/** Locks the row until the transaction ends, so that no concurrent change is lost. */
const lockedProfileById = unscopedQuery((db, $: { id: string }, { engine }) => {
  const select = db
    .selectFrom('users')
    .select([...FIELDS, 'updated_at'])
    .where('id', '=', $.id)
  return engine === 'postgres' ? select.forUpdate() : select
})

const updateProfile = unscopedCommand((db, $: Profile & { id: string; updated_at: string }) =>
  db
    .updateTable('users')
    .set(pickSlots($, ...FIELDS, 'updated_at'))
    .where('id', '=', $.id),
)

/** Every workspace sorts and searches its members by these columns. */
const renameMemberships = unscopedCommand(
  (db, $: { user_id: string; name_key: string; name_words: string }) =>
    db
      .updateTable('memberships')
      .set(pickSlots($, 'name_key', 'name_words'))
      .where('user_id', '=', $.user_id),
)
