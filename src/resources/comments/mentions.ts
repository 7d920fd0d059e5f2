import type { ReadTx } from '#core/tx.ts'
import { activeMembersSeeing } from '#resources/members/seeing.ts'

const MOST_MENTIONS = 50

/** The ids of people that a text names as `<@usr_…>`: each once, in order of first occurrence. */
export function namedIn(text: string): string[] {
  const found = text.matchAll(/<@(usr_[0-9a-hjkmnp-tv-z]{26})>/g)
  return [...new Set([...found].map(([, id = '']) => id))]
}

/**
 * Whom a text mentions: those it names who are active members and see the project (contract 6.3).
 * The first 50 of them; everything else stays plain text.
 */
export async function mentionsIn(tx: ReadTx, project_id: string, text: string): Promise<string[]> {
  const named = namedIn(text)
  const seeing = await activeMembersSeeing(tx, project_id, named)
  return named.filter((id) => seeing.has(id)).slice(0, MOST_MENTIONS)
}
