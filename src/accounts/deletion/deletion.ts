import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import * as identity from '#auth/workspaces/workspaces.ts'
import { findWorkspace } from '#auth/workspaces/workspaces.ts'
import { type Actor, createUserActor, may } from '#core/actor.ts'
import { insufficientRole, validationFailed } from '#core/api-error.ts'
import { sessionAction } from '#core/session-action.ts'
import { loadManager } from '#resources/members/load.ts'
import { erasePerson } from '#resources/offboarding/handover.ts'
import { fieldError } from '#wire/field-error.ts'
import * as contract from '../contract.ts'
import { assertSecondFactorShown, reauthenticate } from '../sign-in/reauthentication.ts'
import { expireSessionCookie } from '../sign-in/start-session.ts'

/** Deletes the workspace. The owner must confirm its name and who they are. */
export const deleteWorkspaceAction = sessionAction(
  contract.deleteWorkspace,
  async (deps, context) => {
    const { storage } = deps
    const { actor, body } = context
    const workspace = await storage.read(actor, findWorkspace)
    if (body.name !== workspace?.name) {
      throw validationFailed(
        fieldError('name', 'invalid_value', 'must be the name of the workspace'),
      )
    }
    await reauthenticate(deps, context, body.current_password)
    await assertSecondFactorShown(deps, context)
    return storage.write(actor, async (tx) => {
      await assertSessionActive(tx, actor)
      assertOwner(await loadManager(tx))
      const reply = await identity.softDeleteWorkspace(tx)
      return { reply, operation_id: tx.operation_id }
    })
  },
  {
    authorize: async (_, { actor }) => assertOwner(actor),
  },
)

function assertOwner(actor: Pick<Actor, 'role'>): void {
  if (!may(actor, 'own_workspace'))
    throw insufficientRole('Only owners can delete or restore a workspace.')
}

/** Erases the user's account. The user must confirm who they are. */
export const eraseAccountAction = sessionAction(contract.eraseAccount, async (deps, context) => {
  const { storage, baseUrl } = deps
  const { actor, body } = context
  const user_id = actor.user_id
  await reauthenticate(deps, context, body.current_password)
  await assertSecondFactorShown(deps, context)
  const actorIn = (workspace_id: string) => ({
    ...createUserActor(user_id, workspace_id),
    name: actor.name,
  })
  await erasePerson(storage, user_id, { actorIn, confirm: (tx) => assertSessionActive(tx, actor) })
  return { reply: undefined, cookies: [expireSessionCookie(baseUrl)] }
})
