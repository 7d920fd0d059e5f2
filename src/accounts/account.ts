import { NOBODY } from '#core/actor.ts'
import { door } from '#core/door.ts'
import { preparePassword, setPassword } from '#identity/account.ts'
import { changeProfile } from '#identity/profile.ts'
import { fromJson } from '#lib/json.ts'
import { loadMember } from '#resources/members/membership.ts'
import { wrongCurrent } from './confirm.ts'
import * as contract from './contract.ts'
import { sessionSet } from './cookies.ts'
import { enter } from './enter.ts'
import { refuseOtherWays } from './only.ts'
import { proven } from './sign-in.ts'
import { personById } from './store.ts'

/** Another password ends all other sessions, and this one goes on under another cookie. */
export const changeAccount = door(contract.changeAccount, async (means, visit) => {
  const { actor, body } = visit
  const { current_password, password, ...profile } = body
  if (password !== undefined || profile.email !== undefined) refuseOtherWays(means)
  const [user_id, workspace_id] = [actor.user_id ?? '', actor.workspace_id]
  const { storage } = means
  const person = await storage.read(NOBODY, (tx) => tx.one(personById, { id: user_id }))
  if (person && current_password !== undefined) {
    const isRight = await proven(means, visit, person.email, person, current_password)
    if (!isRight) throw wrongCurrent()
  }
  const prepared = password === undefined ? undefined : await preparePassword(password)
  const { entered, ...opened } = await storage.write(actor, async (tx) => {
    const now = await tx.one(personById, { id: user_id })
    const isProven = current_password === undefined || now?.password_hash === person?.password_hash
    if (!isProven) throw wrongCurrent()
    const isChanged = await changeProfile(tx, user_id, profile)
    if (isChanged) {
      tx.note({ noun: 'member', id: user_id, op: 'update', revision: tx.now })
    }
    if (prepared) await setPassword(tx, user_id, prepared.hash)
    const wanted = { id: user_id, workspace_id, by: 'session' } as const
    const entered = prepared && (await enter(tx, means, visit, wanted))
    const { operation_id } = tx
    const reply = fromJson((await loadMember(tx, user_id)).json)
    return { reply, entered, ...((isChanged || entered) && { operation_id }) }
  })
  if (!entered || 'step' in entered) return opened
  return { ...opened, cookies: [sessionSet(means.baseUrl, entered.value)] }
})
