import type { completeTask, deleteTask, updateTask } from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { showToast } from '../app/toasts.ts'
import { withdrawMessage } from '../app/undo.ts'
import { queryClient } from '../cache/query-client.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { omitUnchanged, resolveParentId, resolvePatchIds } from './resolve-task-ids.ts'
import { sendTaskChange } from './send-task-change.ts'
import { takeChangeReply, takeDeletion } from './settle-changes.ts'
import { waitForChoice, waitUntilCreated } from './task-conflicts.ts'
import { TaskGoneError } from './task-gone-error.ts'
import { getPatchText, type Task, type TaskChange } from './task-patch.ts'
import { fetchTask } from './task-queries.ts'
import { taskReplica } from './task-replica.ts'
import { getServerTask, isTempId } from './task-store.ts'
import { recordApplied } from './undo-task-change.ts'

/** A change of a task, which is merged with those of others. */
export const taskChangeKind: MutationKind<MutationOfKind<'change'>> = {
  async send(payload, attempt) {
    const id = await waitUntilCreated(payload.id, attempt)
    if (!getServerTask(id) && !isTempId(id)) await taskReplica.read([id])
    const port = {
      maybeSent: attempt.maybeSent,
      getServerTask: () => getServerTask(id),
      request: (change: TaskChange, version: number) => {
        attempt.assertRecent()
        return requestChange(id, change, version)
      },
      refetch: () => fetchTask(id),
      revise: (change: TaskChange) => attempt.revise({ ...payload, id, change }),
      choose: async (conflict: Parameters<typeof waitForChoice>[1]) => {
        const choice = waitForChoice(id, conflict)
        await attempt.hold(choice)
        const change = await choice
        if (change && change !== conflict.change) await port.revise(change)
        return change
      },
    }
    const isSent = await sendTaskChange(port, payload.change, mutationMessages.goneMeanwhile)
    if (!isSent) mutationLog.abandon(attempt.key)
    return []
  },
  revert({ change }, error) {
    withdrawMessage(change.key)
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
    const { short_id, number } = getServerTask(id) ?? from
    return { ...payload, id, change: { ...change, from: { ...from, id, short_id, number } } }
  },
}

/** Shows why a task was not changed. */
export function showRejection(task: Pick<Task, 'id' | 'short_id'>, error: unknown): void {
  if (!(error instanceof ApiResponseError)) return
  // It is removed if it is gone; since the reply, somebody may have restored it.
  if (error.status === 404) void taskReplica.read([task.id])
  showToast({
    text: outcomeMessages.refused(task.short_id, error.message),
    tone: 'trouble',
    error,
  })
}

/** Sends a change and takes the resulting task, which a deletion has not. */
async function requestChange(id: string, change: TaskChange, version: number): Promise<void> {
  const { kind, patch, key } = change
  const options = { idempotencyKey: key, ifMatch: version }
  const before = getServerTask(id)
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
  const { changeNumber } = reply
  // The server repeats an earlier reply, since which others may have changed the task.
  if (changeNumber === undefined) await taskReplica.read([id])
  const task = reply.body as Task | undefined
  if (task) {
    // A row of a list lacks texts, which an undo has to bring back.
    recordApplied({ ...change, from: { ...before, ...change.from } }, task)
    takeChangeReply(change, { task, changeNumber })
  } else takeDeletion(id, changeNumber)
  void queryClient.invalidateQueries({ queryKey: ['activity', id] })
}
