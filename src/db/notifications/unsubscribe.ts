import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { stopNotificationEmails } from './notification-settings.ts'

const PURPOSE = 'unsubscribe '

/** A token for an email that allows only to stop the emails to this user of this workspace. */
export const createUnsubscribeToken = (tx: WriteTx, user_id: string): string =>
  tx.encrypt(PURPOSE + user_id)

/**
 * Stops the emails of the user and workspace in the token `<workspace>.<sealed>`; repeating it is
 * harmless. Returns false for a foreign token, or if the user is no member.
 */
export async function unsubscribe(storage: Storage, token: string): Promise<boolean> {
  const match = /^(wsp_[0-9a-z]{26})\.([\w-]{40,512})$/.exec(token)
  const [, workspace_id = '', sealed = ''] = match ?? []
  if (!match) return false
  return storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
    const purposeAndUser = decryptToken(tx, sealed)
    if (!purposeAndUser?.startsWith(PURPOSE)) return false
    return stopNotificationEmails(tx, purposeAndUser.slice(PURPOSE.length))
  })
}

/** Decrypts a token; undefined if it was not encrypted by this installation. */
function decryptToken(tx: WriteTx, sealed: string): string | undefined {
  try {
    return tx.decrypt(sealed)
  } catch {
    return undefined
  }
}
