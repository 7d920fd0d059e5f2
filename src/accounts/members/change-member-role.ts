import { sessionAction } from '#core/session-action.ts'
import { fromJson } from '#lib/json.ts'
import { updateMember } from '#resources/members/internal.ts'
import { loadMemberToChange } from '#resources/members/load.ts'
import { update } from '#resources/members/operations.ts'
import { clearLeadsWithoutAccess } from '#resources/offboarding/led-projects.ts'
import { assertSessionActive, reauthenticateForAccess } from '../sign-in/reauthentication.ts'

/** Only who becomes an owner needs a confirmation: owners can change and delete everything. */
export const changeMemberRoleAction = sessionAction(
  updateMember,
  async (deps, context) => {
    const { actor, params, body } = context
    const { current_password, ...changes } = body
    const input = { params, body: changes }
    const { role: former } = await deps.storage.read(actor, (tx) => loadMemberToChange(tx, input))
    if (changes.role === 'owner' && former !== 'owner')
      await reauthenticateForAccess(deps, context, current_password)
    return deps.storage.write(actor, async (tx) => {
      await assertSessionActive(tx, actor)
      const member = await loadMemberToChange(tx, input)
      const isChanged = changes.role !== undefined && changes.role !== member.role
      const reply = fromJson(await update(tx, member, changes))
      if (isChanged) await clearLeadsWithoutAccess(tx, member.id)
      return { reply, ...(isChanged && { operation_id: tx.operation_id }) }
    })
  },
  {
    authorize: async ({ storage }, { actor, params, body }) => {
      await storage.read(actor, (tx) => loadMemberToChange(tx, { params, body }))
    },
  },
)
