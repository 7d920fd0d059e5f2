import type { WriteTx } from '#core/tx.ts'
import { accountByEmail, ensureAccount, NO_PASSWORD } from '#identity/account.ts'
import { fold } from '#lib/fold.ts'
import { newId } from '#lib/id.ts'
import { wordsOf } from '#lib/words.ts'
import type { Lines } from './lines.ts'
import { NOT_YET, put, userOfId } from './put.ts'

/** A person of an archive: the id here, and whether the account was there before. */
export interface Joined {
  was: string
  is: string
  known: boolean
}

/**
 * Makes people members who are not let in yet. Who has an account with the same address is that
 * person, for the operator says so by importing; others get an account in which nobody can sign in
 * before it has a password.
 */
export async function joinPeople(
  tx: WriteTx,
  lines: readonly Lines['members'][],
): Promise<Joined[]> {
  const joined: Joined[] = []
  for (const { id: was, email, name, avatar_url, timezone, locale, ...member } of lines) {
    const known = await accountByEmail(tx, email)
    const isTaken = known !== undefined || (await tx.one(userOfId, { id: was })) !== undefined
    const id = isTaken ? newId('usr', tx.instant) : was
    const person = { id, email, name, avatar_url, timezone, locale }
    const account = await ensureAccount(tx, person, NO_PASSWORD)
    await put(tx, 'memberships', [
      {
        user_id: account.user_id,
        ...member,
        removed_at: member.removed_at ?? NOT_YET,
        name_key: fold(account.name),
        name_words: ` ${wordsOf(account.name).join(' ')}`,
      },
    ])
    joined.push({ was, is: account.user_id, known: known !== undefined })
  }
  return joined
}
