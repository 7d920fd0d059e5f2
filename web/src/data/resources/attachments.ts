import type { Attachment, listTaskAttachments } from '#resources/attachments/contract.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { atom } from '../../lib/state/atom.ts'
import { formatBytes } from '../../lib/text/format-bytes.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { showToast } from '../app/toasts.ts'
import { mutationLog, mutationQueue } from '../mutations/mutation-queue.ts'
import { useWithPendingPatches } from '../mutations/pending-patches.ts'
import { deleteWithUndo } from '../mutations/record-mutations.ts'
import { byCreation, createLists, useHeldList } from './held-records.ts'

export type { Attachment }

const attachmentsOf = createLists<Attachment>('attachments', {
  async load(id) {
    // The most that a task has, and a size whose statement PostgreSQL plans only once.
    const sent = { params: { id }, query: { limit: 100 } }
    const { body, changeNumber } = await requestEndpointForResult<typeof listTaskAttachments>(
      'GET /api/v1/tasks/:id/attachments',
      sent,
    )
    return {
      records: body.data.map((record) => ({ type: 'attachment', record })),
      n: changeNumber,
    }
  },
  pick: ({ type, record }, id) =>
    type === 'attachment' && record.task_id === id ? record : undefined,
  compare: byCreation,
})

/** The attachments of a task, oldest first. A task has at most 100. */
export function useAttachments(task_id: string) {
  const { records, error, retry } = useHeldList(attachmentsOf(task_id))
  return { attachments: useWithPendingPatches(records), error, retry }
}

/** The share of bytes that was sent of each running upload, 0 to 1, by the key of its mutation. */
export const uploadProgress = atom<ReadonlyMap<string, number>>(new Map())

/** Sets how far an upload is; undefined once it has ended. */
export function setUploadProgress(key: string, part: number | undefined): void {
  const next = new Map(uploadProgress.get())
  if (part === undefined) next.delete(key)
  else next.set(key, part)
  uploadProgress.set(next)
}

/** The functions that tell of attachments that the server has created, by the key of the upload. */
const uploadEnds = new Map<string, (attachment: Attachment) => void>()

/** Tells who waits for an upload of the attachment that the server has created. */
export const resolveUpload = (key: string, attachment: Attachment): void =>
  uploadEnds.get(key)?.(attachment)

/** The files that can be attached; a toast says why the others cannot. */
export function acceptFiles(files: readonly File[], maxBytes: number): File[] {
  const errors = files.flatMap(({ name, size }) => {
    if (size === 0) return recordChangeMessages.emptyFile(name)
    if (size <= maxBytes) return []
    return recordChangeMessages.tooLarge(name, formatBytes(size), formatBytes(maxBytes))
  })
  if (errors.length > 0) showToast({ text: errors.join(' '), tone: 'trouble' })
  return files.filter(({ size }) => size > 0 && size <= maxBytes)
}

/** Uploads those of the files that can be attached. */
export const attachFiles = (
  task_id: string,
  files: readonly File[],
  maxBytes: number,
): Promise<Attachment[]> => uploadAttachments(task_id, acceptFiles(files, maxBytes))

/**
 * Uploads files to a task, also if the page is closed meanwhile. Resolves with the attachments that
 * the server has created, once each file is uploaded, refused or discarded, or waits for the person or
 * for the network.
 */
export async function uploadAttachments(
  task_id: string,
  files: readonly File[],
): Promise<Attachment[]> {
  const uploads = files.map((one) => {
    const key = crypto.randomUUID()
    const file = one.name ? one : new File([one], recordChangeMessages.pastedFile, one)
    const payload = { kind: 'upload', task_id, file } as const
    mutationLog.add({ key, queueKey: key, label: recordChangeMessages.upload(file.name), payload })
    return waitForUpload(key)
  })
  return (await Promise.all(uploads)).filter((one) => one !== undefined)
}

function waitForUpload(key: string): Promise<Attachment | undefined> {
  const { promise, resolve } = Promise.withResolvers<Attachment | undefined>()
  uploadEnds.set(key, resolve)
  const stop = mutationQueue.subscribe(() => {
    const one = mutationQueue.get().find((other) => other.key === key)
    if (one && one.state !== 'unsaved' && (one.state !== 'waiting' || navigator.onLine)) return
    stop()
    uploadEnds.delete(key)
    resolve(undefined)
  })
  return promise
}

/** Hides an attachment and deletes it when its toast ends; until then it can be undone. */
export function deleteAttachmentWithUndo({ id, filename }: Attachment): void {
  const text = recordChangeMessages.attachmentDeleted(filename)
  deleteWithUndo(text, 'attachment', id)
}
