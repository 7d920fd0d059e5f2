import type { completeTask, deleteTask, updateTask } from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { showToast } from '../app/toasts.ts'
import { queryClient } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import { showOwnChange } from '../live/show-own-change.ts'
import { refetchTasksSoon } from '../live/stale-tasks.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { getOwnVersion, settleChange, settleDeletion } from './change-task.ts'
import { recountOverdue } from './recount-overdue.ts'
import { omitUnchanged, resolveParentId, resolvePatchIds } from './resolve-task-ids.ts'
import { sendTaskChange } from './send-task-change.ts'
import { waitForChoice, waitUntilCreated } from './task-conflicts.ts'
import { TaskGoneError } from './task-gone-error.ts'
import { getPatchText, type Task, type TaskChange } from './task-patch.ts'
import { fetchTask, refetchTask } from './task-queries.ts'
import {
  getPendingChanges,
  getRealId,
  getServerTask,
  isTaskMounted,
  isTempId,
  putTasks,
  updatePendingChanges,
} from './task-store.ts'

/** A change of a task, which is merged with those of others. */
export const taskChangeKind: MutationKind<MutationOfKind<'change'>> = {
  async send(payload, attempt) {
    const id = await waitUntilCreated(payload.id, attempt)
    const port = {
      getServerTask: () => getServerTask(id),
      getOwnVersion: () => getOwnVersion(id),
      request: (change: TaskChange, version: number) => {
        attempt.assertRecent()
        return requestChange(id, change, version)
      },
      refetch: () => fetchTask(id),
      choose: async (conflict: Parameters<typeof waitForChoice>[1]) => {
        const choice = waitForChoice(id, conflict)
        await attempt.hold(choice)
        const change = await choice
        if (change && change !== conflict.change) await attempt.revise({ ...payload, id, change })
        return change
      },
    }
    await sendTaskChange(port, payload.change, mutationMessages.goneMeanwhile)
    return []
  },
  revert({ id, change }, error) {
    settleChange(getRealId(id), change.key)
    if (error instanceof TaskGoneError) {
      const text = outcomeMessages.refused(change.from.short_id, error.message)
      showToast({ text, tone: 'trouble' })
    } else showRejection(change.from, error)
  },
  textOf: ({ change: { patch } }) => getPatchText(patch),
  resolveTempId(payload, created) {
    const { tempId, id } = created
    const patch = resolvePatchIds(payload.change.patch, (one) => (one === tempId ? id : one))
    const from = resolveParentId(payload.change.from, created)
    const change = { ...payload.change, patch, from }
    if (payload.id !== tempId) return omitUnchanged({ ...payload, change }, payload)
    const { short_id, number, version } = getServerTask(id) ?? from
    return {
      ...payload,
      id,
      change: { ...change, from: { ...from, id, short_id, number, version } },
    }
  },
  show({ id, change }) {
    // A new task is shown by its own mutation.
    if (!getServerTask(id) && !isTempId(id)) {
      putTasks([change.from])
      // Others may have changed it since, and lists load only what they lack.
      refetchTasksSoon([id])
    }
    if (getPendingChanges(id).some(({ key }) => key === change.key)) return
    updatePendingChanges(id, (changes) => [...changes, change])
  },
}

/** Shows why a task was not changed. */
export function showRejection(task: Pick<Task, 'id' | 'short_id'>, error: unknown): void {
  if (!(error instanceof ApiResponseError)) return
  // It is removed if it is gone; since the reply, somebody may have restored it.
  if (error.status === 404) refetchTasksSoon([task.id])
  showToast({
    text: outcomeMessages.refused(task.short_id, error.details[0]?.message ?? error.message),
    tone: 'trouble',
    request_id: error.request_id,
  })
}

/** Sends a change and shows the resulting task, which a deletion has not. */
async function requestChange(
  id: string,
  change: TaskChange,
  version: number,
): Promise<Task | undefined> {
  const { kind, patch, key } = change
  const options = { idempotencyKey: key, ifMatch: version }
  const sentAt = Date.now()
  const params = { id }
  const reply = await (kind === 'delete'
    ? requestEndpointForResult<typeof deleteTask>('DELETE /api/v1/tasks/:id', { params }, options)
    : kind === 'complete'
      ? requestEndpointForResult<typeof completeTask>(
          'POST /api/v1/tasks/:id/complete',
          { params, body: {} },
          options,
        )
      : requestEndpointForResult<typeof updateTask>(
          'PATCH /api/v1/tasks/:id',
          { params, body: patch },
          options,
        ))
  recordOwnOperation(reply.operation_id)
  const before = getServerTask(id)
  const parent_id = before?.parent_id
  const task = reply.body as Task | undefined
  showOwnChange({ before, task, sentAt, isReplayed: reply.isReplayed })
  if (kind === 'delete') settleDeletion(id, key, version)
  else settleChange(id, key, task)
  recountOverdue(id, before, task)
  void queryClient.invalidateQueries({ queryKey: ['activity', id] })
  // A parent counts its subtasks and the completed ones.
  const isCounted = kind !== 'patch' || 'status' in patch
  if (isCounted && parent_id && isTaskMounted(parent_id)) refetchTask(parent_id)
  return task
}
