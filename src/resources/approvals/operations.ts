import { viewerId } from '#core/actor.ts'
import { conflict, notFound } from '#core/api-error.ts'
import type { SentWrite } from '#core/pending-request.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { endNotificationsOfApproval } from '#db/notifications/notify.ts'
import {
  decideOperation,
  type PendingOperation,
  pendingSince,
  pendingStatus,
  pendingUntil,
  versionOf,
} from '#db/operations/pending-operations.ts'
import { toJson } from '#lib/json.ts'
import { readableChanges } from '#resources/operations/load.ts'
import type { OperationChange } from '#wire/operation-record.ts'
import type { SupervisionReason } from '#wire/supervision.ts'
import type { Approval, getApproval, listApprovals, refuseApproval } from './internal.ts'
import { selectApprovals, visibleApprovalById } from './store.ts'

const MAX_CHANGES = 100

export const list: Operation<typeof listApprovals> = async (tx, _, { query, page }) => {
  const isOpen = query.state !== 'all'
  const rows = await tx.all(selectApprovals({ order: toListOrder(page, null), isOpen }), {
    ...toPageWindow(page),
    since: pendingSince(tx),
  })
  const records = []
  for (const row of rows)
    records.push({ id: row.id, json: toJson<Approval>(await toApproval(tx, row, 1)) })
  return page.toPage(records)
}

/** The request, if its credential is the person's own; owners and admins get every one. Otherwise 404. */
export async function loadApproval(tx: ReadTx, id: string): Promise<PendingOperation> {
  const pending = await tx.one(visibleApprovalById, { id })
  if (!pending) throw notFound()
  return pending
}

/** 409 unless it can still be decided. */
export function assertPending(tx: ReadTx, pending: PendingOperation): void {
  if (pendingStatus(tx, pending) === 'pending') return
  throw conflict('already_decided', 'This request has been decided already, or has expired.')
}

export const get: Operation<typeof getApproval, PendingOperation> = (tx, pending) =>
  toApproval(tx, pending)

export const refuse: Operation<typeof refuseApproval, PendingOperation> = async (tx, pending) => {
  assertPending(tx, pending)
  const { id, user_id } = pending
  await tx.run(decideOperation, {
    id,
    status: 'refused',
    decided_by_id: viewerId(tx.actor),
    decided_at: tx.now,
    reply_status: null,
    reply: null,
  })
  await endNotificationsOfApproval(tx, { id, user_id })
  return toApproval(tx, await loadApproval(tx, id))
}

/** The record of a request, with its first changes as far as the actor may read them. */
export async function toApproval(
  tx: ReadTx,
  pending: PendingOperation,
  limit = MAX_CHANGES,
): Promise<Approval> {
  const { id, user_id, user_name, actor_type, credential_id, credential_name } = pending
  const { params, query, body } = JSON.parse(pending.request) as SentWrite
  const changes = (JSON.parse(pending.preview) as OperationChange[]).slice(0, limit)
  const { decided_by_id, decided_by_name, created_at } = pending
  return {
    id,
    status: pendingStatus(tx, pending),
    user: { id: user_id, name: user_name },
    credential: { type: actor_type, id: credential_id, name: credential_name },
    endpoint: pending.endpoint,
    request: { params, query, body: body ?? null },
    reasons: JSON.parse(pending.reasons) as SupervisionReason[],
    record_count: Number(pending.record_count),
    changes: await readableChanges(tx, changes),
    version: versionOf(pending),
    created_at,
    expires_at: pendingUntil(created_at),
    decided_by: decided_by_id === null ? null : { id: decided_by_id, name: decided_by_name },
    decided_at: pending.decided_at,
  }
}
