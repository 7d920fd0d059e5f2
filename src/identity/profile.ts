import { later } from '#core/later.ts'
import { conflict } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { fold } from '#lib/fold.ts'
import { wordsOf } from '#lib/words.ts'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { UserRow } from '#storage/tables.ts'
import { INSTALLATION } from '#wire/audit.ts'
import { accountByEmail, holdAddresses, removeResetsOf } from './account.ts'
import { advanceGeneration } from './generation.ts'

/** What a person says of itself, in all workspaces alike. */
export type Profile = Pick<UserRow, 'name' | 'avatar_url' | 'timezone' | 'locale' | 'email'>

/**
 * Changes what is given of an account; what is there already is no change. 409 `email_taken`. A new
 * address ends the links that were sent to the old one. Tells whether anything has changed.
 */
export async function changeProfile(
  tx: WriteTx,
  user_id: string,
  given: { [K in keyof Profile]?: Profile[K] | undefined },
): Promise<boolean> {
  if (given.email !== undefined) await holdAddresses(tx)
  const before = await tx.one(profileHeld, { id: user_id })
  if (!before) throw new Error('There is no account to change')
  const known = Object.entries(given).filter(([, value]) => value !== undefined)
  const after = { ...before, ...(Object.fromEntries(known) as Partial<Profile>) }
  const isDifferent = (name: keyof Profile) => before[name] !== after[name]
  if (!FIELDS.some(isDifferent)) return false
  if (isDifferent('email')) {
    if (await accountByEmail(tx, after.email)) throw emailTaken()
    await tx.run(removeResetsOf, { user_id })
    tx.audit('email.changed', user_id, {}, INSTALLATION)
  }
  await tx.run(putProfile, { ...after, id: user_id, updated_at: later(tx, before.updated_at) })
  if (isDifferent('name')) {
    const name_words = ` ${wordsOf(after.name).join(' ')}`
    await tx.run(renameMember, { user_id, name_key: fold(after.name), name_words })
  }
  await advanceGeneration(tx)
  return true
}

export const emailTaken = () =>
  conflict('email_taken', 'There is an account with this e-mail address already.')

const FIELDS = ['name', 'avatar_url', 'timezone', 'locale', 'email'] as const

/** Held until the end, so that of two changes at once none is lost. */
const profileHeld = queryOfAll((db, $: { id: string }, { engine }) => {
  const found = db
    .selectFrom('users')
    .select([...FIELDS, 'updated_at'])
    .where('id', '=', $.id)
  return engine === 'postgres' ? found.forUpdate() : found
})

const putProfile = commandOfAll((db, $: Profile & { id: string; updated_at: string }) =>
  db
    .updateTable('users')
    .set(row($, ...FIELDS, 'updated_at'))
    .where('id', '=', $.id),
)

/** By their names members are sorted and found, in every workspace. */
const renameMember = commandOfAll(
  (db, $: { user_id: string; name_key: string; name_words: string }) =>
    db
      .updateTable('memberships')
      .set(row($, 'name_key', 'name_words'))
      .where('user_id', '=', $.user_id),
)
