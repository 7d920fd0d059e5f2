import type { createTask, restoreTask } from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { showToast } from '../app/toasts.ts'
import { followTaskChange } from '../live/follow-task-change.ts'
import { type MutationKind, pickIdEnding } from '../mutations/mutation-entry.ts'
import { mutationQueue } from '../mutations/mutation-queue.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import type { TaskWithPlaceholder } from './create-task.ts'
import { omitUnchanged, resolveCreation } from './resolve-task-ids.ts'
import { showRejection } from './task-change-kind.ts'
import type { Task } from './task-patch.ts'
import { subscribeToRecords, takeTaskReply, taskReplica } from './task-replica.ts'
import { getServerTask, resolveTempId } from './task-store.ts'

/** A new task, for which a placeholder stands until the server has created it. */
export const taskCreationKind: MutationKind<MutationOfKind<'create'>> = {
  async send({ body, placeholder }, { key: idempotencyKey }) {
    const to = 'POST /api/v1/tasks'
    const reply = await requestEndpointForResult<typeof createTask>(
      to,
      { body },
      { idempotencyKey },
    )
    const { body: task, changeNumber } = reply
    await takeTaskReply({ task, changeNumber })
    resolveTempId(placeholder.id, task.id)
    followTaskChange(task.id, undefined, task)
    return [{ tempId: placeholder.id, id: task.id }]
  },
  revert({ body }, error) {
    if (!(error instanceof ApiResponseError)) return
    const text = outcomeMessages.notCreated(body.title, error.message)
    showToast({ text, tone: 'trouble', error })
  },
  textOf: ({ body }) => [body.title, body.description].filter((text) => text).join('\n\n'),
  resolveTempId: (payload, created) => omitUnchanged(resolveCreation(payload, created), payload),
}

/** The restoration of a deleted task. */
export const taskRestorationKind: MutationKind<MutationOfKind<'restore'>> = {
  async send({ id }, { key }) {
    await restoreDeletedTask(id, key)
    return []
  },
  revert: (task, error) => showRejection(task, error),
}

/** Restores a deleted task. A retry has to pass the same idempotency key. */
async function restoreDeletedTask(id: string, key: string): Promise<void> {
  const sent = { params: { id }, body: {} }
  const to = 'POST /api/v1/tasks/:id/restore'
  const reply = await requestEndpointForResult<typeof restoreTask>(to, sent, {
    idempotencyKey: key,
  })
  const { body: task, changeNumber } = reply
  await takeTaskReply({ task, changeNumber })
  followTaskChange(id, undefined, task)
}

/**
 * Puts tasks that the server has created in place of their placeholders, whatever becomes of the
 * reply to the request that creates them.
 */
export function recognizeCreatedTasks(): void {
  subscribeToRecords((changes) => recognize(changes.flatMap(({ task }) => task ?? [])))
  // What an earlier page has sent may be among the tasks that this one has read already.
  mutationQueue.subscribe(() => recognize(taskReplica.records()))
}

function recognize(tasks: Iterable<Task>): void {
  const creations = new Map<string, readonly TaskWithPlaceholder[]>()
  for (const { key, payload } of mutationQueue.get()) {
    if (payload.kind !== 'create' && payload.kind !== 'create-many') continue
    const created = payload.kind === 'create' ? [payload] : payload.tasks
    const waiting = created.filter(({ placeholder }) => getServerTask(placeholder.id))
    if (waiting.length > 0) creations.set(pickIdEnding(key), waiting)
  }
  if (creations.size === 0) return
  for (const { id, title } of tasks) {
    // Those of one request have the same letters.
    const creation = creations
      .get(pickIdEnding(id))
      ?.find(({ body, placeholder }) => body.title === title && getServerTask(placeholder.id))
    if (creation) resolveTempId(creation.placeholder.id, id)
  }
}
