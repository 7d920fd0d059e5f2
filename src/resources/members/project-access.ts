import type { ReadTx } from '#core/transaction.ts'
import { activeMembersByIds, membersWithAccess } from './store.ts'

/**
 * Which of these users are active members who see the project (docs/spec/api.md#roles-and-visibility), in one statement.
 * `user_ids` may hold unknown ids. The caller checks that the actor sees the project.
 */
export async function findMembersWithAccess(
  tx: ReadTx,
  project_id: string,
  user_ids: readonly string[],
): Promise<Set<string>> {
  if (user_ids.length === 0) return new Set()
  const rows = await tx.all(membersWithAccess, { project_id, user_ids: [...user_ids] })
  return new Set(rows.map(({ user_id }) => user_id))
}

/** Which of these users are active members. `user_ids` may hold unknown ids. */
export async function findActiveMembers(
  tx: ReadTx,
  user_ids: readonly string[],
): Promise<Set<string>> {
  if (user_ids.length === 0) return new Set()
  const rows = await tx.all(activeMembersByIds, { ids: user_ids })
  return new Set(rows.map(({ user_id }) => user_id))
}
