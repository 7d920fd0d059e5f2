import type { createTask } from '#resources/tasks/contract.ts'
import type { CallInput } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import { recordLocalChange } from './local-changes.ts'
import type { Task } from './task-patch.ts'
import { putTasks } from './task-store.ts'

export type CreateTaskBody = CallInput<typeof createTask>['body']

/** Creates a task. A placeholder is shown until the server has given it an id and a number. */
export function addTaskWithPlaceholder(body: CreateTaskBody, placeholder: Task): void {
  recordLocalChange(placeholder)
  putTasks([placeholder])
  mutationLog.add({
    key: crypto.randomUUID(),
    // One after the other, so that tasks keep the order in which they were typed.
    queueKey: `new in ${body.project_id}`,
    label: mutationMessages.created(body.title),
    payload: { kind: 'create', body, placeholder },
  })
}
