import type { createTask, restoreTask } from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { showToast } from '../app/toasts.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import { showOwnChange } from '../live/show-own-change.ts'
import { refetchTasksSoon } from '../live/stale-tasks.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { recordOwnVersion } from './change-task.ts'
import { recordLocalChange } from './local-changes.ts'
import { recountOverdue } from './recount-overdue.ts'
import { omitUnchanged, resolveCreation } from './resolve-task-ids.ts'
import { showRejection } from './task-change-kind.ts'
import { refetchTask } from './task-queries.ts'
import { getServerTask, putTasks, removeCachedTask, resolveTempId } from './task-store.ts'

/** A new task, for which a placeholder stands until the server has created it. */
export const taskCreationKind: MutationKind<MutationOfKind<'create'>> = {
  async send({ body, placeholder }, { key: idempotencyKey }) {
    const to = 'POST /api/v1/tasks'
    const sentAt = Date.now()
    const reply = await requestEndpointForResult<typeof createTask>(
      to,
      { body },
      { idempotencyKey },
    )
    const task = reply.body
    recordOwnOperation(reply.operation_id)
    recordOwnVersion(task)
    showOwnChange({ before: undefined, task, sentAt, isReplayed: reply.isReplayed })
    resolveTempId(placeholder.id, task)
    // Somebody may have deleted it since the first reply, which was lost.
    if (reply.isReplayed) refetchTasksSoon([task.id])
    recountOverdue(task.id, 'new', task)
    if (task.parent_id && getServerTask(task.parent_id)) refetchTask(task.parent_id)
    return [{ tempId: placeholder.id, id: task.id }]
  },
  revert({ body, placeholder }, error) {
    removeCachedTask(placeholder.id)
    if (!(error instanceof ApiResponseError)) return
    const why = error.details[0]?.message ?? error.message
    const text = outcomeMessages.notCreated(body.title, why)
    showToast({ text, tone: 'trouble', request_id: error.request_id })
  },
  textOf: ({ body }) => [body.title, body.description].filter((text) => text).join('\n\n'),
  resolveTempId: (payload, created) => omitUnchanged(resolveCreation(payload, created), payload),
  show({ placeholder }) {
    recordLocalChange(placeholder)
    putTasks([placeholder])
  },
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
  const sentAt = Date.now()
  const reply = await requestEndpointForResult<typeof restoreTask>(to, sent, {
    idempotencyKey: key,
  })
  const { body, operation_id, isReplayed } = reply
  recordOwnOperation(operation_id)
  showOwnChange({ before: undefined, task: body, sentAt, isReplayed })
  recordLocalChange(body)
  putTasks([body])
  recountOverdue(id, 'new', body)
}
