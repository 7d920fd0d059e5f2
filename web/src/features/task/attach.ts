import { type Attachment, sendFiles } from '../../data/attachments.ts'
import { toast } from '../../data/toasts.ts'
import { formatBytes } from '../../lib/bytes.ts'
import { m } from '../../messages/task.ts'

/** Attaches files; those that are empty or too large are told of before anything is sent. */
export function attachFiles(
  task_id: string,
  files: readonly File[],
  most: number,
): Promise<Attachment[]> {
  const fit = files.filter((file) => {
    const wrong =
      file.size === 0
        ? m.emptyFile(file.name)
        : file.size > most
          ? m.tooLarge(file.name, formatBytes(file.size), formatBytes(most))
          : undefined
    if (wrong) toast({ text: wrong, tone: 'trouble' })
    return wrong === undefined
  })
  return sendFiles(task_id, fit)
}
