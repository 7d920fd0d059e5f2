import { uploadFile } from '../../lib/http/upload.ts'
import { refetchSoon } from '../cache/query-client.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { waitUntilCreated } from '../tasks/task-conflicts.ts'
import { isTempId } from '../tasks/task-store.ts'
import {
  type Attachment,
  patchCachedAttachments,
  resolveUpload,
  setUploadProgress,
} from './attachments.ts'

/** The uploads that have begun, by the key of the mutation. */
const aborts = new Map<string, AbortController>()
/** One after the other: all at once would take the bandwidth and the connections of everything else. */
let lastUpload: Promise<unknown> = Promise.resolve()

/**
 * A file that is attached to a task. It waits for a task that still has to be created, and is dropped if
 * that never is.
 */
export const uploadKind: MutationKind<MutationOfKind<'upload'>> = {
  async send({ task_id: knownId, file }, attempt) {
    const { key, hold } = attempt
    const task_id = await waitUntilCreated(knownId, attempt)
    if (isTempId(task_id)) return []
    attempt.assertRecent()
    const abort = new AbortController()
    aborts.set(key, abort)
    const url = `/api/v1/tasks/${task_id}/attachments?filename=${encodeURIComponent(file.name)}`
    const onProgress = (part: number) => setUploadProgress(key, part)
    const uploading = lastUpload.then(() =>
      uploadFile<Attachment>(url, file, { onProgress, signal: abort.signal, idempotencyKey: key }),
    )
    lastUpload = uploading.catch(() => undefined)
    try {
      await hold(uploading)
      const { body, isReplayed } = await uploading
      patchCachedAttachments(task_id, (all) => [...all.filter(({ id }) => id !== body.id), body])
      // Somebody may have deleted it since the first reply, which was lost.
      if (isReplayed) refetchSoon(['attachments', task_id])
      resolveUpload(key, body)
      return []
    } finally {
      aborts.delete(key)
      setUploadProgress(key, undefined)
    }
  },
  stop: (key) => aborts.get(key)?.abort(),
  revert: () => undefined,
  // It stays when it is refused. There is no text to copy: its label has the name of the file.
  textOf: () => '',
  resolveTempId: (payload, { tempId, id }) =>
    payload.task_id === tempId ? { ...payload, task_id: id } : undefined,
}
