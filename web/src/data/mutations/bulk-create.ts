import type { bulkTasks } from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { bulkChangeMessages } from '../../messages/tasks/bulk-changes.ts'
import { showToast } from '../app/toasts.ts'
import { refetchLists } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import type { CreateTaskBody } from '../tasks/create-task.ts'
import { recordLocalChange } from '../tasks/local-changes.ts'
import type { Task } from '../tasks/task-patch.ts'
import { putTasks, removeCachedTask, resolveTempId } from '../tasks/task-store.ts'
import { enqueueMutation } from './mutation-queue.ts'

const MAX_TASKS_PER_REQUEST = 100
const QUEUE_KEY = 'bulk'

/** Creates many tasks in order, 100 per request. Placeholders are shown until the replies. */
export function addTasksInBulk(
  tasks: readonly { body: CreateTaskBody; placeholder: Task }[],
  label: string,
): void {
  for (const { placeholder } of tasks) recordLocalChange(placeholder)
  putTasks(tasks.map(({ placeholder }) => placeholder))
  for (let at = 0; at < tasks.length; at += MAX_TASKS_PER_REQUEST)
    createBatch(tasks.slice(at, at + MAX_TASKS_PER_REQUEST), label)
}

function createBatch(
  tasks: readonly { body: CreateTaskBody; placeholder: Task }[],
  label: string,
): void {
  const key = crypto.randomUUID()
  const operations = tasks.map(({ body }) => ({
    op: 'create' as const,
    data: { ...body },
  }))
  const showRejection = (why: string, request_id?: string) =>
    showToast({
      text: mutationMessages.notDone(label, why),
      tone: 'trouble',
      ...(request_id && { request_id }),
    })
  enqueueMutation({
    ...{ key, queueKey: QUEUE_KEY, label },
    async send() {
      const sent = { body: { operations, atomic: false } }
      const to = 'POST /api/v1/tasks/bulk'
      const { body } = await requestEndpointForResult<typeof bulkTasks>(to, sent, {
        idempotencyKey: key,
      })
      for (const { index, data, error, operation_id } of body.results) {
        recordOwnOperation(operation_id ?? undefined)
        const id = tasks[index]?.placeholder.id ?? ''
        if (data) resolveTempId(id, data)
        else {
          removeCachedTask(id)
          showRejection(error?.details[0]?.message ?? error?.message ?? bulkChangeMessages.notSent)
        }
      }
      refetchLists()
    },
    onRejected(error) {
      for (const { placeholder } of tasks) removeCachedTask(placeholder.id)
      if (error instanceof ApiResponseError) showRejection(error.message, error.request_id)
    },
  })
}
