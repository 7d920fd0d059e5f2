import type { updateTask } from '#resources/tasks/contract.ts'
import { showToast, undoOf } from '../../../data/app/toasts.ts'
import { queryClient, refetchLists } from '../../../data/cache/query-client.ts'
import { changeTask } from '../../../data/tasks/change-task.ts'
import { findConflictingFields } from '../../../data/tasks/field-conflicts.ts'
import type { Task, TaskPatch } from '../../../data/tasks/task-patch.ts'
import { fetchTask } from '../../../data/tasks/task-queries.ts'
import { takeTaskReply, type WrittenTask } from '../../../data/tasks/task-replica.ts'
import { getCachedTask, hasPendingChanges } from '../../../data/tasks/task-store.ts'
import { ApiResponseError, isRetryable } from '../../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../../lib/http/request-endpoint.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { getErrorMessage } from '../../../ui/feedback/error-message.tsx'

/** Sets or clears the parent of a task. Returns the API's error message, e.g. of a cycle. */
export const setParent = (task: Task, parent_id: string | null): Promise<string | undefined> =>
  changeOrGetMessage(
    task,
    { parent_id },
    parent_id === null
      ? taskDetailMessages.cleared(task.short_id, taskDetailMessages.parent)
      : taskDetailMessages.parentSet(task.short_id),
  )

/** The last change of blockers: the next one waits for it. */
let lastChange: Promise<unknown> = Promise.resolve()

/**
 * Sets the blockers of a task. Returns the API's error message, e.g. of a cycle with its path. What
 * the viewer has added and removed is applied to the blockers that the task has after the change
 * before, which may not be on the screen yet.
 */
export function setBlockers(task: Task, ids: readonly string[]): Promise<string | undefined> {
  const earlier = task.blocked_by_ids
  const added = ids.filter((id) => !earlier.includes(id))
  const removed = earlier.filter((id) => !ids.includes(id))
  const changing = lastChange.then(() => {
    const latest = getCachedTask(task.id) ?? task
    const blocked_by_ids = [...new Set([...latest.blocked_by_ids, ...added])]
      .filter((id) => !removed.includes(id))
      .toSorted()
    const label = taskDetailMessages.blockersSet(task.short_id)
    return changeOrGetMessage(latest, { blocked_by_ids }, label)
  })
  lastChange = changing
  return changing
}

/**
 * Only the server can decide whether a link is allowed, so links are not updated optimistically and
 * an error shows at the field. If it does not answer, or has not got earlier changes of the task, the
 * link is queued behind these.
 */
async function changeOrGetMessage(
  task: Task,
  patch: TaskPatch,
  label: string,
): Promise<string | undefined> {
  if (!hasPendingChanges(task.id)) {
    try {
      await changeTaskOnServer(task, patch, label)
      return undefined
    } catch (error) {
      if (!isRetryable(error)) return getErrorMessage(error)
    }
  }
  changeTask(task.id, patch, { label, from: task })
  return undefined
}

/**
 * Changes a task on the server first and shows the change after the response. If others changed
 * other fields in the meantime, the change is sent again on top of theirs; otherwise throws Problem.
 */
export async function changeTaskOnServer(
  task: Task,
  patch: TaskPatch,
  label: string,
): Promise<void> {
  const key = crypto.randomUUID()
  const reply = await sendPatch(task, patch, key)
  await takeTaskReply(reply)
  refetchLists()
  void queryClient.invalidateQueries({ queryKey: ['activity', task.id] })
  const change = { key, kind: 'patch', patch, from: task } as const
  const payload = { kind: 'change', id: task.id, change } as const
  showToast({ text: label, undo: undoOf({ key, queueKey: task.id, label, payload }) })
}

async function sendPatch(
  task: Task,
  patch: TaskPatch,
  idempotencyKey: string,
): Promise<WrittenTask> {
  const { id, version: ifMatch } = task
  try {
    const endpoint = 'PATCH /api/v1/tasks/:id'
    const options = { idempotencyKey, ifMatch }
    const reply = await requestEndpointForResult<typeof updateTask>(
      endpoint,
      { params: { id }, body: patch },
      options,
    )
    return { task: reply.body, changeNumber: reply.changeNumber }
  } catch (error) {
    if (!(error instanceof ApiResponseError) || error.code !== 'version_mismatch') throw error
    const current = await fetchTask(id)
    if (findConflictingFields({ kind: 'patch', patch, from: task }, current).length > 0) throw error
    return sendPatch(current, patch, idempotencyKey)
  }
}
