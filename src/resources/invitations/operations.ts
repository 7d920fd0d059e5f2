import { refuseAllButManagers } from '#core/managers.ts'
import { conflict, notFound, refuseFaults } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import { fromJson } from '#lib/json.ts'
import { hashOfLinkToken, newLinkToken } from '#lib/token.ts'
import { projectToUse } from '#resources/projects/store.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import type { Input } from '#wire/endpoint.ts'
import { type Fault, fault } from '#wire/fault.ts'
import type { createInvitation, deleteInvitation, Invitation, listInvitations } from './internal.ts'
import {
  insertInvitation,
  invitationById,
  invitationsIn,
  memberWithEmail,
  removeInvitation,
  removeInvitationTo,
} from './store.ts'

const LASTS_MS = 7 * 24 * 60 * 60 * 1000

export const list: Operation<typeof listInvitations> = async (tx, _, { page }) =>
  page.cut(await tx.all(invitationsIn(orderOf(page, null)), windowOf(page)))

/** What is new: `token` is told here and never again, for only its hash is kept. */
export interface Invited {
  invitation: Invitation
  token: string
}

/**
 * Invites an address; an earlier invitation to it ends, and its link with it. 422 for a project that
 * the actor does not see; 409 `already_member`. Who may invite is for the caller to say. No event:
 * who is invited is no member yet (contract 8.4).
 */
export async function invite(
  tx: WriteTx,
  { email, role, project_ids = [] }: Input<typeof createInvitation>['body'],
): Promise<Invited> {
  await refuseUnseen(tx, project_ids)
  if (await tx.one(memberWithEmail, { email })) {
    throw conflict('already_member', 'A member of the workspace has this e-mail address.')
  }
  const [id, token] = [newId('inv', tx.instant), newLinkToken()]
  await tx.run(removeInvitationTo, { email })
  await tx.run(insertInvitation, {
    id,
    email,
    role,
    project_ids: JSON.stringify(project_ids.toSorted()),
    invited_by_id: tx.actor.user_id ?? '',
    hash: hashOfLinkToken(token),
    expires_at: timestampOf(tx.instant + LASTS_MS),
    created_at: tx.now,
  })
  noteInvitation(tx, id, 'create')
  tx.audit('invitation.created', id, { role, project_ids: project_ids.toSorted() })
  const { json } = await invitationToEnd(tx, { params: { id } })
  return { invitation: fromJson(json), token }
}

/** An invitation, for owners and admins; others learn nothing of any. */
export async function invitationToEnd(tx: ReadTx, { params }: { params: { id: string } }) {
  refuseAllButManagers(tx)
  const invitation = await tx.one(invitationById, { id: params.id })
  if (!invitation) throw notFound()
  return invitation
}

export const remove: Operation<typeof deleteInvitation, { id: string }> = async (tx, { id }) => {
  await tx.run(removeInvitation, { id })
  noteInvitation(tx, id, 'delete')
  tx.audit('invitation.deleted', id, {})
}

/** Of invitations only owners and admins are told. */
export const noteInvitation = (tx: WriteTx, id: string, op: 'create' | 'delete') =>
  tx.note({ noun: 'invitation', id, op, only_for: '' })

async function refuseUnseen(tx: ReadTx, project_ids: readonly string[]): Promise<void> {
  const faults: Fault[] = []
  for (const [at, id] of project_ids.entries()) {
    if (await tx.one(projectToUse, { id })) continue
    faults.push(fault(`project_ids[${at}]`, 'invalid_reference', 'names no project that you see'))
  }
  refuseFaults(faults)
}
