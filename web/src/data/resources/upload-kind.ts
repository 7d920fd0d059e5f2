import { uploadFile } from '../../lib/http/upload.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { refetchTask } from '../tasks/task-queries.ts'
import {
  type Attachment,
  patchCachedAttachments,
  resolveUpload,
  setUploadProgress,
} from './attachments.ts'

/** The requests that are under way, by the key of the mutation. */
const aborts = new Map<string, AbortController>()

/** A file that is attached to a task. */
export const uploadKind: MutationKind<MutationOfKind<'upload'>> = {
  async send({ task_id, file }, { key, hold }) {
    const abort = new AbortController()
    aborts.set(key, abort)
    const uploading = uploadFile<Attachment>(
      `/api/v1/tasks/${task_id}/attachments?filename=${encodeURIComponent(file.name)}`,
      file,
      {
        onProgress: (part) => setUploadProgress(key, part),
        signal: abort.signal,
        idempotencyKey: key,
      },
    )
    try {
      await hold(uploading)
      const { body, operation_id } = await uploading
      recordOwnOperation(operation_id)
      patchCachedAttachments(task_id, (all) => [...all.filter(({ id }) => id !== body.id), body])
      resolveUpload(key, body)
      refetchTask(task_id)
      return []
    } finally {
      aborts.delete(key)
      setUploadProgress(key, undefined)
    }
  },
  revert: (_, __, key) => aborts.get(key)?.abort(),
  // It stays when it is refused. There is no text to copy: its label has the name of the file.
  textOf: () => '',
}
