import { may, viewerId } from '#core/actor.ts'
import { conflict, insufficientRole, notFound, workspaceStorageFull } from '#core/api-error.ts'
import type { DownloadOperation, Operation, QuotaLoader } from '#core/route.ts'
import type { WriteTx } from '#core/transaction.ts'
import { fixLimit, toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { keepInTrash, removeTrash, trashOf } from '#db/operations/trash.ts'
import { addAttachmentBytes } from '#db/retention/pending-file-deletions.ts'
import { recordActivity } from '#db/tasks/record-activity.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import { type LoadedTask, loadTask } from '#resources/tasks/load.ts'
import type {
  Attachment,
  deleteAttachment,
  downloadAttachment,
  getAttachment,
  listTaskAttachments,
  uploadAttachment,
} from './contract.ts'
import { type LoadedAttachment, loadAttachment } from './load.ts'
import {
  adjustAttachmentCount,
  attachmentsOfTask,
  attachmentUsage,
  insertAttachment,
  removeAttachment,
} from './store.ts'

const MAX_PER_TASK = 100

export const list: Operation<typeof listTaskAttachments, LoadedTask> = async (
  tx,
  task,
  { page },
) => {
  const order = fixLimit(toListOrder(page, 'attachments.created_at'), page)
  return page.toPage(
    await tx.all(attachmentsOfTask(order), { ...toPageWindow(page), task_id: task.id }),
  )
}

/** How many more bytes the workspace may store. 409 for a task that has all its attachments. */
export const attachmentQuota: QuotaLoader<LoadedTask> = async (tx, task) => {
  assertNotArchived(task)
  const { stored = 0, count = 0 } = (await tx.one(attachmentUsage, { task_id: task.id })) ?? {}
  if ((count ?? 0) >= MAX_PER_TASK) {
    throw conflict(
      'limit_reached',
      `A task can have at most ${MAX_PER_TASK} attachments. Delete one first.`,
    )
  }
  return tx.settings.workspaceBytes - stored
}

export const create: Operation<typeof uploadAttachment, LoadedTask> = async (
  tx,
  task,
  { body },
) => {
  const { size_bytes } = body
  if (size_bytes > (await attachmentQuota(tx, task))) throw workspaceStorageFull()
  await tx.run(insertAttachment, {
    ...body,
    task_id: task.id,
    created_by_id: viewerId(tx.actor),
    created_at: tx.now,
  })
  await tx.run(adjustAttachmentCount, { task_id: task.id, by: 1 })
  await tx.run(addAttachmentBytes, { by: size_bytes })
  tx.countFileBytes(size_bytes)
  const attachment = await loadAttachment(tx, body.id)
  tx.emit('attachment.created', attachment.json, {
    subject_id: task.id,
    project_id: task.project_id,
  })
  return attachment
}

export const get: Operation<typeof getAttachment, LoadedAttachment> = async (_, attachment) =>
  attachment

/** Names the file; the HTTP layer streams its bytes. */
export const content: DownloadOperation<typeof downloadAttachment, LoadedAttachment> = async (
  _,
  attachment,
) => {
  const { id, filename, content_type, size_bytes, sha256 } = attachment
  return { id, filename, content_type, size_bytes, sha256 }
}

/** The file stays stored, and counts, until the trash is emptied. */
export const remove: Operation<typeof deleteAttachment, LoadedAttachment> = async (
  tx,
  { id, task_id, project_id, filename, size_bytes, archived_at, json },
) => {
  assertNotArchived({ project_id, archived_at })
  await keepInTrash(tx, { type: 'attachment', id, task_id, record: json, size_bytes })
  await tx.run(removeAttachment, { id })
  await tx.run(adjustAttachmentCount, { task_id, by: -1 })
  tx.emit('attachment.deleted', json, { subject_id: task_id, project_id })
  const changes = { filename: { from: filename, to: null } }
  await recordActivity(tx, { task_id, kind: 'attachment_deleted', changes })
}

/** Puts a file back that an operation has deleted, for those who may delete it. */
export async function restoreAttachment(tx: WriteTx, operation_id: string, id: string) {
  const trashed = await tx.one(trashOf, { operation_id, id })
  if (!trashed) throw notFound()
  const record: Attachment = JSON.parse(trashed.record)
  const { task_id, filename } = record
  const task = await loadTask(tx, task_id)
  if (record.created_by_id !== tx.actor.user_id && !may(tx.actor, 'change_work_of_others'))
    throw insufficientRole('Only its uploader, owners and admins can restore an attachment.')
  await attachmentQuota(tx, task)
  await tx.run(removeTrash, { operation_id, id })
  await tx.run(insertAttachment, record)
  await tx.run(adjustAttachmentCount, { task_id, by: 1 })
  const { json } = await loadAttachment(tx, id)
  tx.emit('attachment.created', json, { subject_id: task_id, project_id: task.project_id })
  const changes = { filename: { from: null, to: filename } }
  await recordActivity(tx, { task_id, kind: 'attachment_restored', changes })
}
