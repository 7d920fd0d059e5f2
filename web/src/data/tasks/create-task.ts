import type { createTask } from '#resources/tasks/contract.ts'
import type { CallInput } from '../../lib/http/request-endpoint.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { type Reversal, showToast } from '../app/toasts.ts'
import { runReversal } from '../app/undo.ts'
import { cancelMutation, mutationLog } from '../mutations/mutation-queue.ts'
import { deleteTaskWithUndo } from './change-task.ts'
import type { Task } from './task-patch.ts'
import { getRealId } from './task-store.ts'

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

/** Queues a creation. Returns its undo, which cancels what was not sent yet and deletes what was. */
function queueCreation({ body, placeholder }: TaskWithPlaceholder): () => Reversal | undefined {
  const key = crypto.randomUUID()
  mutationLog.add({
    key,
    queueKey: queueKeyOf(body),
    label: recordChangeMessages.created(body.title),
    payload: { kind: 'create', body, placeholder },
  })
  return () =>
    cancelMutation(key)
      ? () => queueCreation({ body, placeholder })
      : deleteTaskWithUndo(getRealId(placeholder.id))
}

const MAX_TASKS_PER_REQUEST = 100

/** Creates many tasks of a project in order, with one undo. Placeholders are shown until the replies. */
export function addTasksInBulk(tasks: readonly TaskWithPlaceholder[]): void {
  const text = recordChangeMessages.createdMany(tasks.length)
  showToast({ text, undo: queueCreations(tasks) })
}

function queueCreations(tasks: readonly TaskWithPlaceholder[]): () => Reversal | undefined {
  const batches = Array.from(
    { length: Math.ceil(tasks.length / MAX_TASKS_PER_REQUEST) },
    (_, at) => {
      const key = crypto.randomUUID()
      const part = tasks.slice(at * MAX_TASKS_PER_REQUEST, (at + 1) * MAX_TASKS_PER_REQUEST)
      addTaskBatch(part, key)
      return { key, part }
    },
  )
  return () =>
    reverseAllLater(
      batches.flatMap(({ key, part }): Reversal[] =>
        cancelMutation(key)
          ? [() => queueCreations(part)]
          : part.flatMap(({ placeholder }) => deleteTaskWithUndo(getRealId(placeholder.id)) ?? []),
      ),
    )
}

const reverseAllLater = (reversals: readonly Reversal[]): Reversal | undefined =>
  reversals.length === 0
    ? undefined
    : () => reverseAllLater(reversals.flatMap((one) => runReversal(one) ?? []))

/** Creates at most 100 tasks of a project in order, under this key. */
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
