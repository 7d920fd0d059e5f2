import * as identity from '#auth/workspaces/workspace-deletion.ts'
import { findWorkspace } from '#auth/workspaces/workspaces.ts'
import { insufficientRole, validationFailed } from '#core/api-error.ts'
import { sessionAction } from '#core/session-action.ts'
import { fieldError } from '#wire/field-error.ts'
import * as contract from '../contract.ts'
import { verifyAccountPassword } from '../sign-in/sign-in.ts'
import { personById } from '../store.ts'

/** Deletes the workspace. The owner must confirm with the workspace's name and their password. */
export const deleteWorkspaceAction = sessionAction(
  contract.deleteWorkspace,
  async (deps, context) => {
    const { storage } = deps
    const { actor, body } = context
    const [person, workspace] = await storage.read(actor, async (tx) => [
      await tx.one(personById, { id: actor.user_id }),
      await findWorkspace(tx),
    ])
    if (body.name !== workspace?.name) {
      throw validationFailed(
        fieldError('name', 'invalid_value', 'must be the name of the workspace'),
      )
    }
    const isPasswordRight =
      person &&
      (await verifyAccountPassword(deps, context, person.email, person, body.current_password))
    if (!isPasswordRight) throw wrongCurrentPasswordError()
    return storage.write(actor, async (tx) => {
      const current = await tx.one(personById, { id: person.id })
      if (current?.password_hash !== person.password_hash) throw wrongCurrentPasswordError()
      const reply = await identity.softDeleteWorkspace(tx)
      return { reply, operation_id: tx.operation_id }
    })
  },
  {
    authorize: async (_, { actor }) => {
      if (actor.role === 'owner') return
      throw insufficientRole('Only owners can delete or restore a workspace.')
    },
  },
)

const wrongCurrentPasswordError = () =>
  validationFailed(fieldError('current_password', 'invalid_value', 'is not your current password'))
