import type { ReadTx } from '#core/transaction.ts'
import { findMembersWithAccess } from '#resources/members/project-access.ts'

const MAX_MENTIONS = 50

/** The user ids that a text mentions as `<@usr_…>`, without duplicates, in order of occurrence. */
export function parseMentions(text: string): string[] {
  const matches = text.matchAll(/<@(usr_[0-9a-hjkmnp-tv-z]{26})>/g)
  return [...new Set([...matches].map(([, id = '']) => id))]
}

/**
 * The mentioned users who are active members and see the project (docs/spec/api.md#comment), at most 50. Every
 * other mention stays plain text.
 */
export async function resolveMentions(
  tx: ReadTx,
  project_id: string,
  text: string,
): Promise<string[]> {
  const ids = parseMentions(text)
  const membersWithAccess = await findMembersWithAccess(tx, project_id, ids)
  return ids.filter((id) => membersWithAccess.has(id)).slice(0, MAX_MENTIONS)
}
