import { door } from '#core/door.ts'
import { insufficientRole, invalid } from '#core/refusal.ts'
import * as identity from '#identity/deletion.ts'
import { loadWorkspace } from '#identity/workspace.ts'
import { fault } from '#wire/fault.ts'
import * as contract from './contract.ts'
import { proven } from './sign-in.ts'
import { personById } from './store.ts'

/** An owner who types its name, and shows to be the one, deletes the workspace. */
export const deleteWorkspace = door(
  contract.deleteWorkspace,
  async (means, visit) => {
    const { storage } = means
    const { actor, body } = visit
    const [person, workspace] = await storage.read(actor, async (tx) => [
      await tx.one(personById, { id: actor.user_id ?? '' }),
      await loadWorkspace(tx),
    ])
    if (body.name !== workspace?.name) {
      throw invalid(fault('name', 'invalid_value', 'must be the name of the workspace'))
    }
    const isRight =
      person && (await proven(means, visit, person.email, person, body.current_password))
    if (!isRight) throw wrongCurrent()
    return storage.write(actor, async (tx) => {
      const now = await tx.one(personById, { id: person.id })
      if (now?.password_hash !== person.password_hash) throw wrongCurrent()
      const reply = await identity.deleteWorkspace(tx)
      return { reply, operation_id: tx.operation_id }
    })
  },
  {
    before: async (_, { actor }) => {
      if (actor.role === 'owner') return
      throw insufficientRole('Only owners delete and restore a workspace.')
    },
  },
)

const wrongCurrent = () =>
  invalid(fault('current_password', 'invalid_value', 'is not your present password'))
