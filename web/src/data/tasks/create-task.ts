import type { createTask } from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { type CallInput, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { showToast } from '../app/toasts.ts'
import { refetchLists } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import {
  type AbandonedMutation,
  enqueueMutation,
  type Mutation,
  resumeMutation,
} from '../mutations/mutation-queue.ts'
import { replaceStoredTempId } from '../offline/stored-mutations.ts'
import { recordOwnVersion } from './change-task.ts'
import { recordLocalChange } from './local-changes.ts'
import type { Task } from './task-patch.ts'
import { putTasks, removeCachedTask, resolveTempId } from './task-store.ts'

export type CreateTaskBody = CallInput<typeof createTask>['body']

/** Creates a task. A placeholder is shown until the server has given it an id and a number. */
export function addTaskWithPlaceholder(
  body: CreateTaskBody,
  placeholder: Task,
  onCreated?: (task: Task) => void,
): void {
  recordLocalChange(placeholder)
  putTasks([placeholder])
  enqueueMutation(createMutation(crypto.randomUUID(), body, placeholder, onCreated))
}

/** Resumes the creation of a task that an earlier page could not send. */
export function resumeTaskCreation(
  { key, isExpired }: AbandonedMutation,
  body: CreateTaskBody,
  placeholder: Task,
): void {
  recordLocalChange(placeholder)
  putTasks([placeholder])
  resumeMutation(createMutation(key, body, placeholder), isExpired)
}

function createMutation(
  key: string,
  body: CreateTaskBody,
  placeholder: Task,
  onCreated?: (task: Task) => void,
): Mutation {
  return {
    key,
    stored: { kind: 'create', body, placeholder },
    // One after the other, so that tasks keep the order in which they were typed.
    queueKey: `new in ${body.project_id}`,
    label: mutationMessages.created(body.title),
    async send() {
      const to = 'POST /api/v1/tasks'
      const reply = await requestEndpointForResult<typeof createTask>(
        to,
        { body },
        { idempotencyKey: key },
      )
      recordOwnOperation(reply.operation_id)
      recordOwnVersion(reply.body)
      resolveTempId(placeholder.id, reply.body)
      replaceStoredTempId(placeholder.id, reply.body)
      refetchLists()
      onCreated?.(reply.body)
    },
    onRejected(error) {
      removeCachedTask(placeholder.id)
      if (!(error instanceof ApiResponseError)) return
      const text = mutationMessages.notCreated(
        body.title,
        error.details[0]?.message ?? error.message,
      )
      showToast({ text, tone: 'trouble', request_id: error.request_id })
    },
  }
}
