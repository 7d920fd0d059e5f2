import { NOBODY, personally } from '#core/actor.ts'
import { door } from '#core/door.ts'
import { invalid } from '#core/refusal.ts'
import { erasePerson } from '#resources/members/erasing.ts'
import { fault } from '#wire/fault.ts'
import * as contract from './contract.ts'
import { sessionCleared } from './cookies.ts'
import { proven } from './sign-in.ts'
import { personById } from './store.ts'

/** A person, who shows to be the one by the password, is erased. */
export const eraseAccount = door(contract.eraseAccount, async (means, visit) => {
  const { storage, baseUrl } = means
  const { actor, body } = visit
  const user_id = actor.user_id ?? ''
  const person = await storage.read(NOBODY, (tx) => tx.one(personById, { id: user_id }))
  const isRight =
    person && (await proven(means, visit, person.email, person, body.current_password))
  if (!isRight) {
    throw invalid(fault('current_password', 'invalid_value', 'is not your present password'))
  }
  const by = (workspace_id: string) => ({ ...personally(user_id, workspace_id), name: actor.name })
  await erasePerson(storage, user_id, by)
  return { reply: undefined, cookies: [sessionCleared(baseUrl)] }
})
