import * as identity from '#auth/workspaces/workspace-deletion.ts'
import { findWorkspace } from '#auth/workspaces/workspaces.ts'
import { insufficientRole, validationFailed } from '#core/api-error.ts'
import { sessionAction } from '#core/session-action.ts'
import { fieldError } from '#wire/field-error.ts'
import * as contract from '../contract.ts'
import { reauthenticate, wrongCurrentPassword } from '../sign-in/reauthentication.ts'
import { personById } from '../store.ts'

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
    const person = await reauthenticate(deps, context, body.current_password)
    return storage.write(actor, async (tx) => {
      const current = await tx.one(personById, { id: person.id })
      if (current?.password_hash !== person.password_hash) throw wrongCurrentPassword()
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
