import type { ReadTx } from '#core/tx.ts'
import { seeingAmong } from './store.ts'

/**
 * Which of these persons are active members who see the project (contract 4.3); `user_ids` may hold
 * anything. In one statement. Whether the actor sees the project is for the caller to know.
 */
export async function activeMembersSeeing(
  tx: ReadTx,
  project_id: string,
  user_ids: readonly string[],
): Promise<Set<string>> {
  if (user_ids.length === 0) return new Set()
  const rows = await tx.all(seeingAmong, { project_id, user_ids: [...user_ids] })
  return new Set(rows.map(({ user_id }) => user_id))
}
