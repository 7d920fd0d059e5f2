import { may } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { attachmentById } from './store.ts'

export type LoadedAttachment = Awaited<ReturnType<typeof loadAttachment>>

/** The attachment, if the actor sees its task. */
export async function loadAttachment(tx: ReadTx, id: string) {
  const attachment = await tx.one(attachmentById, { id })
  if (!attachment) throw notFound()
  return attachment
}

/** The attachment, for those who may delete it: its creator, owners and admins. */
export async function loadAttachmentToDelete(tx: ReadTx, id: string) {
  const attachment = await loadAttachment(tx, id)
  if (attachment.created_by_id === tx.actor.user_id || may(tx.actor, 'change_work_of_others'))
    return attachment
  throw insufficientRole('Only its uploader, owners and admins can delete an attachment.')
}
