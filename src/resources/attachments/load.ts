import { manages } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { attachmentById } from './store.ts'

export type FoundAttachment = Awaited<ReturnType<typeof loadAttachment>>

/** The attachment, if the actor sees its task. */
export async function loadAttachment(tx: ReadTx, id: string) {
  const attachment = await tx.one(attachmentById, { id })
  if (!attachment) throw notFound()
  return attachment
}

/** The same for those who may delete it: who attached it, owners and admins. */
export async function loadAttachmentToDelete(tx: ReadTx, id: string) {
  const attachment = await loadAttachment(tx, id)
  if (attachment.created_by_id === tx.actor.user_id || manages(tx.actor)) return attachment
  throw insufficientRole('Only who attached it, owners and admins can delete an attachment.')
}
