import { NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { stopMails } from './notification-settings.ts'

const PURPOSE = 'unsubscribe '

/** What in a mail allows whoever has it to end the mails of its person and workspace, and nothing else. */
export const sealUnsubscribing = (tx: WriteTx, user_id: string): string =>
  tx.seal(PURPOSE + user_id)

/**
 * Ends the mails that `<workspace>.<sealed>` names; again and again if need be. False for what is none of
 * ours, or of nobody who is a member.
 */
export async function unsubscribe(storage: Storage, token: string): Promise<boolean> {
  const found = /^(wsp_[0-9a-z]{26})\.([\w-]{40,512})$/.exec(token)
  const [, workspace_id = '', sealed = ''] = found ?? []
  if (!found) return false
  return storage.write({ ...NOBODY, workspace_id }, async (tx) => {
    const opened = unsealed(tx, sealed)
    if (!opened?.startsWith(PURPOSE)) return false
    return stopMails(tx, opened.slice(PURPOSE.length))
  })
}

/** What was not sealed here cannot be opened. */
function unsealed(tx: WriteTx, sealed: string): string | undefined {
  try {
    return tx.unseal(sealed)
  } catch {
    return undefined
  }
}
