import type { createComment } from '#resources/comments/contract.ts'
import type { createTimeEntry } from '#resources/time-entries/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { uploadFile } from '../../lib/http/upload.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { refetchSoon } from '../cache/query-client.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { ignoreNotFound, showNotDone } from '../mutations/record-mutations.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { changeTask } from '../tasks/change-task.ts'
import { waitUntilCreated } from '../tasks/task-conflicts.ts'
import { fetchTask } from '../tasks/task-queries.ts'
import { getCachedTask, getRealId, isTempId } from '../tasks/task-store.ts'
import { type Attachment, resolveUpload, setUploadProgress } from './attachments.ts'
import { takeRecord } from './held-records.ts'
import { createProjectTag } from './tags.ts'

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
      const { body, changeNumber } = await uploading
      await takeRecord({ type: 'attachment', record: body }, changeNumber)
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

/** A new comment. */
export const commentKind: MutationKind<MutationOfKind<'comment'>> = {
  async send({ comment: { task_id, parent_id, body } }, { key }) {
    const sent = { params: { id: task_id }, body: { body, ...(parent_id && { parent_id }) } }
    const to = 'POST /api/v1/tasks/:id/comments'
    const options = { idempotencyKey: key }
    const { body: record, changeNumber } = await requestEndpointForResult<typeof createComment>(
      to,
      sent,
      options,
    )
    await takeRecord({ type: 'comment', record }, changeNumber)
    refetchSoon(['search'])
    return []
  },
  revert: () => undefined,
  textOf: ({ comment }) => comment.body,
}

type NewTagMutation = MutationOfKind<'new-tag'>

/** A new tag of a project, which is then added to a task. */
export const newTagKind: MutationKind<NewTagMutation> = {
  async send(payload, { key }) {
    const tagId = await createOrFindTag(payload, key)
    const id = getRealId(payload.task_id)
    // An earlier page may have made it. Only the task that was not created has a temporary id.
    if (!getCachedTask(id) && !isTempId(id)) await ignoreNotFound(fetchTask(id))
    changeTask(id, { add_tag_ids: [tagId] })
    return []
  },
  revert: ({ tag }, error) => showNotDone(mutationMessages.newTag(tag.name), error),
  resolveTempId: (payload, { tempId, id }) =>
    payload.task_id === tempId ? { ...payload, task_id: id } : undefined,
}

/** The id of the new tag, or of the one that has the name by now. */
async function createOrFindTag({ project_id, tag }: NewTagMutation, key: string): Promise<string> {
  try {
    return (await createProjectTag(project_id, tag, key)).id
  } catch (error) {
    const isTaken = error instanceof ApiResponseError && error.code === 'tag_exists'
    const id = isTaken ? error.details[0]?.resource_id : undefined
    if (id === undefined) throw error
    return id
  }
}

/** Logged time. */
export const timeEntryKind: MutationKind<MutationOfKind<'time-entry'>> = {
  async send({ task_id, body }, { key }) {
    const { body: record, changeNumber } = await requestEndpointForResult<typeof createTimeEntry>(
      'POST /api/v1/tasks/:id/time-entries',
      { params: { id: task_id }, body },
      { idempotencyKey: key },
    )
    await takeRecord({ type: 'time_entry', record }, changeNumber)
    return []
  },
  revert: (_, error) => showNotDone(recordChangeMessages.timeEntry, error),
  textOf: ({ text }) => text,
}
