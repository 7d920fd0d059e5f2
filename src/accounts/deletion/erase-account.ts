import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { validationFailed } from '#core/api-error.ts'
import { sessionAction } from '#core/session-action.ts'
import { erasePerson } from '#resources/offboarding/erase-person.ts'
import { fieldError } from '#wire/field-error.ts'
import * as contract from '../contract.ts'
import { verifyAccountPassword } from '../sign-in/sign-in.ts'
import { expireSessionCookie } from '../sign-in/sign-in-cookies.ts'
import { personById } from '../store.ts'

/** Erases the user's account. The user must confirm with their password. */
export const eraseAccountAction = sessionAction(contract.eraseAccount, async (deps, context) => {
  const { storage, baseUrl } = deps
  const { actor, body } = context
  const user_id = actor.user_id
  const person = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(personById, { id: user_id }))
  const isPasswordRight =
    person &&
    (await verifyAccountPassword(deps, context, person.email, person, body.current_password))
  if (!isPasswordRight) {
    throw validationFailed(
      fieldError('current_password', 'invalid_value', 'is not your current password'),
    )
  }
  const actorIn = (workspace_id: string) => ({
    ...createUserActor(user_id, workspace_id),
    name: actor.name,
  })
  await erasePerson(storage, user_id, actorIn)
  return { reply: undefined, cookies: [expireSessionCookie(baseUrl)] }
})
