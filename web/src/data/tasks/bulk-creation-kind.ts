import type { bulkTasks } from '#resources/tasks/contract.ts'
import { toPersonWords } from '../../lib/http/problem-words.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { noteOperations } from '../../lib/http/request-operations.ts'
import { refetchLists } from '../cache/query-client.ts'
import type { CreatedRecord, MutationKind } from '../mutations/mutation-entry.ts'
import { mutationQueue } from '../mutations/mutation-queue.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { addTaskBatch, type TaskWithPlaceholder } from './create-task.ts'
import { omitUnchanged, resolveCreation } from './resolve-task-ids.ts'
import { takeTaskReply } from './task-replica.ts'
import { resolveTempId } from './task-store.ts'

/**
 * At most 100 new tasks, which one request creates. Those that the server refuses become an entry of
 * their own, which waits for the person with their titles.
 */
export const bulkCreationKind: MutationKind<MutationOfKind<'create-many'>> = {
  async send(payload, { key, revise }) {
    const { tasks, attempt } = payload
    const { created, refused, reason, operation_ids } = await postTasks(tasks, `${attempt}-${key}`)
    noteOperations(key, operation_ids)
    if (created.length === 0 && refused.length > 0) {
      // The server would answer the same key with the same refusal.
      await revise({ ...payload, attempt: attempt + 1 })
      throw new Error(reason)
    }
    const refusedKey = `${key}-refused`
    // After a crash this runs again, and the entry may be there already.
    if (!mutationQueue.get().some((one) => one.key === refusedKey))
      addTaskBatch(refused, refusedKey)
    refetchLists()
    return created
  },
  // Its tasks are no longer shown, which says enough.
  revert: () => undefined,
  // The description of a long line has all of it.
  textOf: ({ tasks }) => tasks.map(({ body }) => body.description ?? body.title).join('\n'),
  resolveTempId(payload, created) {
    const tasks = payload.tasks.map((task) => resolveCreation(task, created))
    return omitUnchanged({ ...payload, tasks }, payload)
  },
}

interface BulkCreation {
  created: CreatedRecord[]
  refused: TaskWithPlaceholder[]
  operation_ids: string[]
  /** The API's reason for the first task that it refused. */
  reason: string
}

async function postTasks(
  tasks: readonly TaskWithPlaceholder[],
  idempotencyKey: string,
): Promise<BulkCreation> {
  const operations = tasks.map(({ body }) => ({ op: 'create' as const, data: { ...body } }))
  const { body, changeNumber } = await requestEndpointForResult<typeof bulkTasks>(
    'POST /api/v1/tasks/bulk',
    { body: { operations, atomic: false } },
    { idempotencyKey },
  )
  const outcome: BulkCreation = { created: [], refused: [], operation_ids: [], reason: '' }
  for (const { index, data, error, operation_id } of body.results) {
    if (operation_id) outcome.operation_ids.push(operation_id)
    const task = tasks[index]
    if (!task) continue
    if (data) {
      await takeTaskReply({ task: data, changeNumber })
      resolveTempId(task.placeholder.id, data.id)
      outcome.created.push({ tempId: task.placeholder.id, id: data.id })
    } else {
      outcome.refused.push(task)
      if (error) outcome.reason ||= toPersonWords(error).message
    }
  }
  return outcome
}
