import type { createTask } from '#resources/tasks/contract.ts'
import type { CallInput } from '../../lib/http/request-endpoint.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import type { Task } from './task-patch.ts'
import { putPlaceholders } from './task-store.ts'

export type CreateTaskBody = CallInput<typeof createTask>['body']

/** A new task, and the placeholder that is shown until the server has created it. */
export interface TaskWithPlaceholder {
  body: CreateTaskBody
  placeholder: Task
}

/** One after the other, so that tasks keep the order in which they were typed. */
const queueKeyOf = ({ project_id }: CreateTaskBody): string => `new in ${project_id}`

/** Creates a task. A placeholder is shown until the server has given it an id and a number. */
export function addTaskWithPlaceholder(body: CreateTaskBody, placeholder: Task): void {
  putPlaceholders([placeholder])
  mutationLog.add({
    key: crypto.randomUUID(),
    queueKey: queueKeyOf(body),
    label: recordChangeMessages.created(body.title),
    payload: { kind: 'create', body, placeholder },
  })
}

const MAX_TASKS_PER_REQUEST = 100

/** Creates many tasks of a project in order. Placeholders are shown until the replies. */
export function addTasksInBulk(tasks: readonly TaskWithPlaceholder[]): void {
  showPlaceholders(tasks)
  for (let at = 0; at < tasks.length; at += MAX_TASKS_PER_REQUEST)
    addTaskBatch(tasks.slice(at, at + MAX_TASKS_PER_REQUEST), crypto.randomUUID())
}

/** Queues the creation of at most 100 tasks, whose placeholders are shown already. */
export function addTaskBatch(tasks: readonly TaskWithPlaceholder[], key: string): void {
  const [first] = tasks
  if (!first) return
  mutationLog.add({
    key,
    queueKey: queueKeyOf(first.body),
    label: recordChangeMessages.createdMany(tasks.length),
    payload: { kind: 'create-many', tasks, attempt: 1 },
  })
}

/** Shows tasks that the server has not created yet. */
export function showPlaceholders(tasks: readonly TaskWithPlaceholder[]): void {
  putPlaceholders(tasks.map(({ placeholder }) => placeholder))
}
