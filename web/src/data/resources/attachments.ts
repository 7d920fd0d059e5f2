import { useQuery } from '@tanstack/react-query'
import type { Attachment, listTaskAttachments } from '#resources/attachments/contract.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { uploadFile } from '../../lib/http/upload.ts'
import { atom } from '../../lib/state/atom.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { queryClient } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import { deleteWithUndo } from '../mutations/record-mutations.ts'
import { refetchTask } from '../tasks/task-queries.ts'

export type { Attachment }

/** The attachments of a task, oldest first. A task has at most 100. */
export function useAttachments(task_id: string) {
  const { data, error, refetch } = useQuery({
    queryKey: ['attachments', task_id],
    queryFn: ({ signal }) => {
      // The most that a task has, and a size whose statement PostgreSQL plans only once.
      const sent = { params: { id: task_id }, query: { limit: 100 } }
      return requestEndpoint<typeof listTaskAttachments>(
        'GET /api/v1/tasks/:id/attachments',
        sent,
        {
          signal,
        },
      )
    },
  })
  return { attachments: data?.data, error, retry: () => void refetch() }
}

/** A file that is being uploaded, or whose upload failed. */
export interface AttachmentUpload {
  key: string
  task_id: string
  file: File
  /** The share of bytes that was sent, 0 to 1. */
  progress: number
  error: unknown
}

export const attachmentUploads = atom<readonly AttachmentUpload[]>([])

const aborts = new Map<string, AbortController>()

/** Uploads files to a task. Resolves with the attachments that the server created. */
export async function uploadAttachments(
  task_id: string,
  files: readonly File[],
): Promise<Attachment[]> {
  const keys = files.map((file) => {
    const key = crypto.randomUUID()
    attachmentUploads.set([
      ...attachmentUploads.get(),
      { key, task_id, file, progress: 0, error: undefined },
    ])
    return key
  })
  const attachments: Attachment[] = []
  // One after the other, so that the first file arrives sooner than if all shared the bandwidth.
  for (const key of keys) {
    const attachment = await uploadOne(key)
    if (attachment) attachments.push(attachment)
  }
  return attachments
}

/** Repeats a failed upload under the same idempotency key, so that the file is stored once. */
export const retryUpload = (key: string): void => void uploadOne(key)

/** Cancels an upload, whether it is running or has failed. */
export function cancelUpload(key: string): void {
  aborts.get(key)?.abort(new DOMException('given up', 'AbortError'))
  attachmentUploads.set(attachmentUploads.get().filter((one) => one.key !== key))
}

async function uploadOne(key: string): Promise<Attachment | undefined> {
  const pending = attachmentUploads.get().find((one) => one.key === key)
  if (!pending) return
  const { task_id, file } = pending
  const abort = new AbortController()
  aborts.set(key, abort)
  updateUpload(key, { progress: 0, error: undefined })
  try {
    const name = encodeURIComponent(file.name || mutationMessages.pastedFile)
    const url = `/api/v1/tasks/${task_id}/attachments?filename=${name}`
    const onProgress = (part: number) => updateUpload(key, { progress: part })
    const options = { onProgress, signal: abort.signal, idempotencyKey: key }
    const { body, operation_id } = await uploadFile<Attachment>(url, file, options)
    recordOwnOperation(operation_id)
    attachmentUploads.set(attachmentUploads.get().filter((one) => one.key !== key))
    patchCachedAttachments(task_id, (all) => [...all.filter(({ id }) => id !== body.id), body])
    refetchTask(task_id)
    return body
  } catch (error) {
    if (!abort.signal.aborted) updateUpload(key, { error })
    return undefined
  } finally {
    aborts.delete(key)
  }
}

/** Hides an attachment and deletes it when its toast ends; until then it can be undone. */
export function deleteAttachmentWithUndo({ id, task_id, filename }: Attachment): void {
  const text = mutationMessages.attachmentDeleted(filename)
  deleteWithUndo(text, 'attachment', { id, parent_id: task_id })
}

const updateUpload = (key: string, change: Partial<AttachmentUpload>): void =>
  attachmentUploads.set(
    attachmentUploads.get().map((one) => (one.key === key ? { ...one, ...change } : one)),
  )

interface CachedAttachments {
  data: Attachment[]
}

/** Changes the cached attachments of a task. */
export function patchCachedAttachments(
  task_id: string,
  change: (all: Attachment[]) => Attachment[],
): void {
  queryClient.setQueryData<CachedAttachments>(['attachments', task_id], (page) =>
    page ? { ...page, data: change(page.data) } : page,
  )
}

addEventListener('beforeunload', (event) => {
  if (attachmentUploads.get().some(({ error }) => error === undefined)) event.preventDefault()
})
