import type { changeAccount } from '#accounts/contract.ts'
import { changeBoot } from '../../../data/boot.ts'
import { call, type Sent } from '../../../lib/call.ts'
import { isSpoken } from '../../../lib/language.ts'
import { setViewer } from '../../../lib/viewer.ts'

/**
 * Changes the person's account; the page knows it at once, in every place where they are named, and is loaded anew
 * where they read another language now.
 */
export async function saveAccount(body: Sent<typeof changeAccount>['body']): Promise<void> {
  const user = await call<typeof changeAccount>('PATCH /internal/account', { body })
  const spoken = isSpoken(user.locale)
  setViewer({ zone: user.timezone, locale: user.locale })
  changeBoot((boot) => ({
    ...boot,
    session: { ...boot.session, user },
    members: boot.members.map((member) => (member.id === user.id ? user : member)),
  }))
  if (!spoken) location.reload()
}
