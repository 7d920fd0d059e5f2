import { ensureAccount, findAccountByEmail, NO_PASSWORD } from '#auth/users/accounts.ts'
import type { WriteTx } from '#core/transaction.ts'
import { foldCase } from '#lib/fold-case.ts'
import { newId } from '#lib/id.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import type { ArchiveLines } from '../format/line-schemas.ts'
import { insertRows, PENDING_REMOVED_AT, userWithId } from './insert-rows.ts'

/** A person of an archive: their old and new ids, and whether their account existed before. */
export interface JoinedMember {
  archiveUserId: string
  userId: string
  hadAccount: boolean
}

/**
 * Adds people as members who are not active yet. A person is matched with the account of the same
 * email address: the operator vouches for that by importing. Others get an account without a
 * password, so that nobody can sign in to it until one is set.
 */
export async function joinMembers(
  tx: WriteTx,
  lines: readonly ArchiveLines['members'][],
): Promise<JoinedMember[]> {
  const joined: JoinedMember[] = []
  for (const { id: archiveUserId, email, name, avatar_url, timezone, locale, ...member } of lines) {
    const existing = await findAccountByEmail(tx, email)
    const isTaken =
      existing !== undefined || (await tx.one(userWithId, { id: archiveUserId })) !== undefined
    const id = isTaken ? newId('usr', tx.nowMs) : archiveUserId
    const person = { id, email, name, avatar_url, timezone, locale }
    const account = await ensureAccount(tx, person, NO_PASSWORD)
    await insertRows(tx, 'memberships', [
      {
        user_id: account.user_id,
        ...member,
        removed_at: member.removed_at ?? PENDING_REMOVED_AT,
        name_key: foldCase(account.name),
        name_words: ` ${extractSearchWords(account.name).join(' ')}`,
      },
    ])
    joined.push({
      archiveUserId,
      userId: account.user_id,
      hadAccount: existing !== undefined,
    })
  }
  return joined
}
