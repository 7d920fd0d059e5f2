import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import { sessionAction } from '#core/session-action.ts'
import { fromJson } from '#lib/json.ts'
import { updateMember } from '#resources/members/internal.ts'
import { loadMemberToChange } from '#resources/members/load.ts'
import { update } from '#resources/members/operations.ts'
import { clearLeadsWithoutAccess } from '#resources/offboarding/handover.ts'

export const changeMemberRoleAction = sessionAction(
  updateMember,
  async (deps, context) => {
    const { actor, params, body } = context
    return deps.storage.write(actor, async (tx) => {
      await assertSessionActive(tx, actor)
      const member = await loadMemberToChange(tx, { params, body })
      const isChanged = body.role !== undefined && body.role !== member.role
      const reply = fromJson(await update(tx, member, body))
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
