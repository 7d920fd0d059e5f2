import type { bulkTasks } from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { bulkChangeMessages } from '../../messages/tasks/bulk-changes.ts'
import { refetchLists } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import type { CreateTaskBody } from '../tasks/create-task.ts'
import { recordLocalChange } from '../tasks/local-changes.ts'
import type { Task } from '../tasks/task-patch.ts'
import { putTasks, removeCachedTask, resolveTempId } from '../tasks/task-store.ts'
import { enqueueMutation } from './mutation-queue.ts'

const MAX_TASKS_PER_REQUEST = 100
const QUEUE_KEY = 'bulk'

interface NewBulkTask {
  body: CreateTaskBody
  placeholder: Task
}

/** Tasks that were not created, and the API's reason for the first of them. */
export interface RejectedTasks {
  titles: readonly string[]
  reason: string
  request_id?: string
}

interface BulkCreation {
  /** Describes the creation, for the message that it is not saved. */
  label: string
  /** Called for each request of which tasks were rejected, so that their titles are not lost. */
  onRejected: (rejected: RejectedTasks) => void
}

/** Creates many tasks in order, 100 per request. Placeholders are shown until the replies. */
export function addTasksInBulk(tasks: readonly NewBulkTask[], creation: BulkCreation): void {
  for (const { placeholder } of tasks) recordLocalChange(placeholder)
  putTasks(tasks.map(({ placeholder }) => placeholder))
  for (let at = 0; at < tasks.length; at += MAX_TASKS_PER_REQUEST)
    createBatch(tasks.slice(at, at + MAX_TASKS_PER_REQUEST), creation)
}

function createBatch(tasks: readonly NewBulkTask[], { label, onRejected }: BulkCreation): void {
  const key = crypto.randomUUID()
  const operations = tasks.map(({ body }) => ({
    op: 'create' as const,
    data: { ...body },
  }))
  enqueueMutation({
    ...{ key, queueKey: QUEUE_KEY, label },
    async send() {
      const sent = { body: { operations, atomic: false } }
      const to = 'POST /api/v1/tasks/bulk'
      const { body } = await requestEndpointForResult<typeof bulkTasks>(to, sent, {
        idempotencyKey: key,
      })
      for (const { index, data, operation_id } of body.results) {
        recordOwnOperation(operation_id ?? undefined)
        const id = tasks[index]?.placeholder.id ?? ''
        if (data) resolveTempId(id, data)
        else removeCachedTask(id)
      }
      const rejected = body.results.filter(({ data }) => !data)
      const [first] = rejected
      if (first) {
        const titles = rejected.flatMap(({ index }) => tasks[index]?.body.title ?? [])
        const reason = first.error?.details[0]?.message ?? first.error?.message
        onRejected({ titles, reason: reason ?? bulkChangeMessages.notSent })
      }
      refetchLists()
    },
    onRejected(error) {
      for (const { placeholder } of tasks) removeCachedTask(placeholder.id)
      if (!(error instanceof ApiResponseError)) return
      const titles = tasks.map(({ body }) => body.title)
      onRejected({ titles, reason: error.message, request_id: error.request_id })
    },
  })
}
