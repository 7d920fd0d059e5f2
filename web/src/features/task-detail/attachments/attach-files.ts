import { showToast } from '../../../data/app/toasts.ts'
import { type Attachment, uploadAttachments } from '../../../data/resources/attachments.ts'
import { formatBytes } from '../../../lib/text/format-bytes.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'

/** Uploads files to a task; empty or too large ones are rejected with a toast first. */
export function attachFiles(
  task_id: string,
  files: readonly File[],
  maxBytes: number,
): Promise<Attachment[]> {
  const accepted = files.filter((file) => {
    const error =
      file.size === 0
        ? taskDetailMessages.emptyFile(file.name)
        : file.size > maxBytes
          ? taskDetailMessages.tooLarge(file.name, formatBytes(file.size), formatBytes(maxBytes))
          : undefined
    if (error) showToast({ text: error, tone: 'trouble' })
    return error === undefined
  })
  return uploadAttachments(task_id, accepted)
}
