import { managersOnly } from '#core/managers.ts'
import { route } from '#core/route.ts'
import { deleteInvitation, listInvitations } from './internal.ts'
import { invitationToEnd, list, remove } from './operations.ts'

/** Inviting and accepting are doors, in the room accounts: they mail, and begin sessions. */
export const invitations = [
  route(listInvitations, managersOnly, list),
  route(deleteInvitation, invitationToEnd, remove),
]
