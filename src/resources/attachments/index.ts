import { route } from '#core/route.ts'
import { loadTask } from '#resources/tasks/load.ts'
import {
  createAttachment,
  deleteAttachment,
  getAttachment,
  getContent,
  listAttachments,
} from './contract.ts'
import { loadAttachment, loadAttachmentToDelete } from './load.ts'
import { content, create, get, list, remove, room } from './operations.ts'

export const attachments = [
  route(listAttachments, (tx, { params }) => loadTask(tx, params.id), list),
  route(createAttachment, (tx, { params }) => loadTask(tx, params.id), create, room),
  route(getAttachment, (tx, { params }) => loadAttachment(tx, params.id), get),
  route(getContent, (tx, { params }) => loadAttachment(tx, params.id), content),
  route(deleteAttachment, (tx, { params }) => loadAttachmentToDelete(tx, params.id), remove),
]
