import { allowManagers } from '#core/managers.ts'
import { readRoute, writeRoute } from '#core/route.ts'
import { deleteInvitation, listInvitations } from './internal.ts'
import { list, loadInvitation, remove } from './operations.ts'

/**
 * Inviting and accepting are session actions in `src/accounts`: they send mail and start sessions.
 */
export const invitations = [
  readRoute(listInvitations, allowManagers, list),
  writeRoute(deleteInvitation, loadInvitation, remove),
]
