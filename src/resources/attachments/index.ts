import { downloadRoute, readRoute, uploadRoute, writeRoute } from '#core/route.ts'
import { loadTask } from '#resources/tasks/load.ts'
import {
  deleteAttachment,
  downloadAttachment,
  getAttachment,
  listTaskAttachments,
  uploadAttachment,
} from './contract.ts'
import { loadAttachment, loadAttachmentToDelete } from './load.ts'
import { attachmentQuota, content, create, get, list, remove } from './operations.ts'

export const attachments = [
  readRoute(listTaskAttachments, (tx, { params }) => loadTask(tx, params.id), list),
  uploadRoute(
    uploadAttachment,
    (tx, { params }) => loadTask(tx, params.id),
    create,
    attachmentQuota,
  ),
  readRoute(getAttachment, (tx, { params }) => loadAttachment(tx, params.id), get),
  downloadRoute(downloadAttachment, (tx, { params }) => loadAttachment(tx, params.id), content),
  writeRoute(deleteAttachment, (tx, { params }) => loadAttachmentToDelete(tx, params.id), remove),
]
