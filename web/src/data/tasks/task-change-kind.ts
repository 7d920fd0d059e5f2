import type { completeTask, deleteTask, updateTask } from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { showToast } from '../app/toasts.ts'
import { queryClient } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { settleChange, settleDeletion } from './change-task.ts'
import { omitUnchanged, resolveParentId, resolvePatchIds } from './resolve-task-ids.ts'
import { sendTaskChange } from './send-task-change.ts'
import { waitForChoice, waitUntilCreated } from './task-conflicts.ts'
import { TaskGoneError } from './task-gone-error.ts'
import { getPatchText, type Task, type TaskChange } from './task-patch.ts'
import { fetchTask } from './task-queries.ts'
import { taskReplica } from './task-replica.ts'
import {
  getOwnVersion,
  getPendingChanges,
  getRealId,
  getServerTask,
  updatePendingChanges,
} from './task-store.ts'

/** A change of a task, which is merged with those of others. */
export const taskChangeKind: MutationKind<MutationOfKind<'change'>> = {
  async send(payload, attempt) {
    const id = await waitUntilCreated(payload.id, attempt)
    if (!getServerTask(id)) await taskReplica.read([id])
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
    if (getPendingChanges(id).some(({ key }) => key === change.key)) return
    updatePendingChanges(id, (changes) => [...changes, change])
  },
}

/** Shows why a task was not changed. */
export function showRejection(task: Pick<Task, 'id' | 'short_id'>, error: unknown): void {
  if (!(error instanceof ApiResponseError)) return
  // It is removed if it is gone; since the reply, somebody may have restored it.
  if (error.status === 404) void taskReplica.read([task.id])
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
  const { operation_id, changeNumber } = reply
  recordOwnOperation(operation_id)
  // The server repeats an earlier reply, since which others may have changed the task.
  if (changeNumber === undefined) await taskReplica.read([id])
  const task = reply.body as Task | undefined
  if (task) settleChange(id, key, { task, changeNumber })
  else settleDeletion(id, key, changeNumber)
  void queryClient.invalidateQueries({ queryKey: ['activity', id] })
  return task
}
