import type { createTask } from '#resources/tasks/contract.ts'
import type { CallInput } from '../../lib/http/request-endpoint.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { type Reversal, showToast, undoOf } from '../app/toasts.ts'
import type { NewMutation } from '../mutations/mutation-entry.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import type { StoredMutation } from '../mutations/stored-mutation.ts'
import type { Task } from './task-patch.ts'

export type CreateTaskBody = CallInput<typeof createTask>['body']

/** A new task, and the placeholder that is shown until the server has created it. */
export interface TaskWithPlaceholder {
  body: CreateTaskBody
  placeholder: Task
}

/** One after the other, so that tasks keep the order in which they were typed. */
const queueKeyOf = ({ project_id }: CreateTaskBody): string => `new in ${project_id}`

/** Creates a task, with an undo. A placeholder is shown until the server has given it an id and a number. */
export function addTaskWithPlaceholder(body: CreateTaskBody, placeholder: Task): void {
  const text = recordChangeMessages.created(body.title)
  showToast({ text, undo: queueCreation({ body, placeholder }), isOpen: false })
}

/** Queues a creation. Returns its undo. */
function queueCreation({ body, placeholder }: TaskWithPlaceholder): Reversal {
  const entry: NewMutation<StoredMutation> = {
    key: crypto.randomUUID(),
    queueKey: queueKeyOf(body),
    label: recordChangeMessages.created(body.title),
    payload: { kind: 'create', body, placeholder },
  }
  mutationLog.add(entry)
  return undoOf(entry)
}

const MAX_TASKS_PER_REQUEST = 100

/** Creates many tasks of a project in order, with one undo. Placeholders are shown until the replies. */
export function addTasksInBulk(tasks: readonly TaskWithPlaceholder[]): void {
  const text = recordChangeMessages.createdMany(tasks.length)
  showToast({ text, undo: queueCreations(tasks) })
}

function queueCreations(tasks: readonly TaskWithPlaceholder[]): Reversal {
  const count = Math.ceil(tasks.length / MAX_TASKS_PER_REQUEST)
  const batches = Array.from({ length: count }, (_, at) =>
    tasks.slice(at * MAX_TASKS_PER_REQUEST, (at + 1) * MAX_TASKS_PER_REQUEST),
  )
  return undoOf(...batches.flatMap((part) => addTaskBatch(part, crypto.randomUUID()) ?? []))
}

/** Creates at most 100 tasks of a project in order, under this key. */
export function addTaskBatch(
  tasks: readonly TaskWithPlaceholder[],
  key: string,
): NewMutation<StoredMutation> | undefined {
  const [first] = tasks
  if (!first) return undefined
  const entry: NewMutation<StoredMutation> = {
    key,
    queueKey: queueKeyOf(first.body),
    label: recordChangeMessages.createdMany(tasks.length),
    payload: { kind: 'create-many', tasks, attempt: 1 },
  }
  mutationLog.add(entry)
  return entry
}
