import { conflict, workspaceFull } from '#core/refusal.ts'
import type { Operation, Room } from '#core/route.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import type { FoundTask } from '#resources/tasks/load.ts'
import { recordActivity } from '#storage/activity.ts'
import { countBytes, doomFile } from '#storage/files.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import type {
  createAttachment,
  deleteAttachment,
  getAttachment,
  getContent,
  listAttachments,
} from './contract.ts'
import { type FoundAttachment, loadAttachment } from './load.ts'
import {
  attachmentsOfTask,
  countAttachment,
  insertAttachment,
  removeAttachment,
  taken,
} from './store.ts'

const MOST_OF_TASK = 100

export const list: Operation<typeof listAttachments, FoundTask> = async (tx, task, { page }) => {
  const order = orderOf(page, 'attachments.created_at')
  return page.cut(await tx.all(attachmentsOfTask(order), { ...windowOf(page), task_id: task.id }))
}

/** The bytes that a task may still take: what the workspace has left. */
export const room: Room<FoundTask> = async (tx, task) => {
  refuseArchived(task)
  const { bytes = 0, count = 0 } = (await tx.one(taken, { task_id: task.id })) ?? {}
  if ((count ?? 0) >= MOST_OF_TASK) {
    throw conflict('limit_reached', `A task has at most ${MOST_OF_TASK} attachments.`)
  }
  return tx.settings.workspaceAttachmentBytes - bytes
}

export const create: Operation<typeof createAttachment, FoundTask> = async (tx, task, { body }) => {
  const { size_bytes } = body
  if (size_bytes > (await room(tx, task))) throw workspaceFull()
  await tx.run(insertAttachment, {
    ...body,
    task_id: task.id,
    created_by_id: tx.actor.user_id ?? '',
    created_at: tx.now,
  })
  await tx.run(countAttachment, { task_id: task.id, by: 1 })
  await tx.run(countBytes, { by: size_bytes })
  const attachment = await loadAttachment(tx, body.id)
  tx.emit('attachment.created', attachment.json, {
    subject_id: task.id,
    project_id: task.project_id,
  })
  return attachment
}

export const get: Operation<typeof getAttachment, FoundAttachment> = async (_, attachment) =>
  attachment

/** Where the bytes are is all that an operation has to do with them. */
export const content: Operation<typeof getContent, FoundAttachment> = async (_, attachment) => {
  const { id, filename, content_type, size_bytes, sha256 } = attachment
  return { id, filename, content_type, size_bytes, sha256 }
}

export const remove: Operation<typeof deleteAttachment, FoundAttachment> = async (
  tx,
  { id, task_id, project_id, filename, size_bytes, archived_at },
) => {
  refuseArchived({ archived_at })
  await tx.run(removeAttachment, { id })
  await tx.run(doomFile, { id, doomed_at: tx.now })
  await tx.run(countAttachment, { task_id, by: -1 })
  await tx.run(countBytes, { by: -size_bytes })
  tx.note({ noun: 'attachment', id, op: 'delete', task_id, project_id })
  await recordActivity(tx, task_id, 'attachment_deleted', {
    filename: { from: filename, to: null },
  })
}
