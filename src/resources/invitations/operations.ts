import { viewerId } from '#core/actor.ts'
import { assertNoFieldErrors, conflict, notFound } from '#core/api-error.ts'
import { assertManager } from '#core/managers.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import { newId } from '#lib/id.ts'
import { fromJson } from '#lib/json.ts'
import { hashLinkToken, newLinkToken } from '#lib/token.ts'
import { projectColumnsById } from '#resources/projects/store.ts'
import type { EndpointInput } from '#wire/endpoint.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import type { createInvitation, deleteInvitation, Invitation, listInvitations } from './internal.ts'
import {
  insertInvitation,
  invitationById,
  memberByEmail,
  removeInvitation,
  removeInvitationByEmail,
  selectInvitations,
} from './store.ts'

const INVITATION_TTL_MS = 7 * DAY_MS

export const list: Operation<typeof listInvitations> = async (tx, _, { page }) =>
  page.toPage(await tx.all(selectInvitations(toListOrder(page, null)), toPageWindow(page)))

/** A new invitation. The token appears only here, because only its hash is stored. */
interface InvitationWithToken {
  invitation: Invitation
  token: string
}

/**
 * Invites an email address and revokes an earlier invitation to it. 422 for a project that the
 * actor does not see, 409 `already_member`. The caller checks who may invite. No event is emitted,
 * because an invited person is not a member yet (docs/spec/api.md#events-of-each-operation).
 */
export async function invite(
  tx: WriteTx,
  { email, role, project_ids = [] }: EndpointInput<typeof createInvitation>['body'],
): Promise<InvitationWithToken> {
  await assertProjectsVisible(tx, project_ids)
  if (await tx.one(memberByEmail, { email })) {
    throw conflict('already_member', 'A member of the workspace already has this email address.')
  }
  const [id, token] = [newId('inv', tx.nowMs), newLinkToken()]
  await tx.run(removeInvitationByEmail, { email })
  await tx.run(insertInvitation, {
    id,
    email,
    role,
    project_ids: JSON.stringify(project_ids.toSorted()),
    invited_by_id: viewerId(tx.actor),
    hash: hashLinkToken(token),
    expires_at: timestampOf(tx.nowMs + INVITATION_TTL_MS),
    created_at: tx.now,
  })
  noteInvitation(tx, id)
  tx.audit('invitation.created', id, { role, project_ids: project_ids.toSorted() })
  const { json } = await loadInvitation(tx, { params: { id } })
  return { invitation: fromJson(json), token }
}

/** The invitation, for owners and admins; for everybody else 403, whether or not it exists. */
export async function loadInvitation(tx: ReadTx, { params }: { params: { id: string } }) {
  assertManager(tx)
  const invitation = await tx.one(invitationById, { id: params.id })
  if (!invitation) throw notFound()
  return invitation
}

export const remove: Operation<typeof deleteInvitation, { id: string }> = async (tx, { id }) => {
  await tx.run(removeInvitation, { id })
  noteInvitation(tx, id)
  tx.audit('invitation.deleted', id, {})
}

/** Only owners and admins are notified of changes to invitations. */
export const noteInvitation = (tx: WriteTx, id: string) =>
  tx.noteChange({ noun: 'invitation', id, only_for: '' })

async function assertProjectsVisible(tx: ReadTx, project_ids: readonly string[]): Promise<void> {
  const errors: FieldError[] = []
  for (const [index, id] of project_ids.entries()) {
    if (await tx.one(projectColumnsById, { id })) continue
    errors.push(
      fieldError(
        `project_ids[${index}]`,
        'invalid_reference',
        'must be a project that you have access to',
      ),
    )
  }
  assertNoFieldErrors(errors)
}
