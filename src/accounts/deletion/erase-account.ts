import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import { createUserActor } from '#core/actor.ts'
import { sessionAction } from '#core/session-action.ts'
import { erasePerson } from '#resources/offboarding/erase-person.ts'
import * as contract from '../contract.ts'
import { reauthenticate } from '../sign-in/reauthentication.ts'
import { expireSessionCookie } from '../sign-in/sign-in-cookies.ts'

/** Erases the user's account. The user must confirm who they are. */
export const eraseAccountAction = sessionAction(contract.eraseAccount, async (deps, context) => {
  const { storage, baseUrl } = deps
  const { actor, body } = context
  const user_id = actor.user_id
  await reauthenticate(deps, context, body.current_password)
  const actorIn = (workspace_id: string) => ({
    ...createUserActor(user_id, workspace_id),
    name: actor.name,
  })
  await erasePerson(storage, user_id, { actorIn, confirm: (tx) => assertSessionActive(tx, actor) })
  return { reply: undefined, cookies: [expireSessionCookie(baseUrl)] }
})
