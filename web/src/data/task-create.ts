import type { createTask } from '#resources/tasks/contract.ts'
import { answered, type Sent } from '../lib/call.ts'
import { Problem } from '../lib/problem.ts'
import { m } from '../messages/data.ts'
import { renameKept } from './kept-writes.ts'
import { noteLocal } from './local-changes.ts'
import { noteOwn } from './own.ts'
import { enqueue, type Intent, type Left, resume } from './queue.ts'
import { refetchLists } from './refetch.ts'
import { adopt, dropTask, putTasks } from './task-store.ts'
import type { Task } from './task-view.ts'
import { noteVersion } from './task-writes.ts'
import { toast } from './toasts.ts'

export type NewTask = Sent<typeof createTask>['body']

/** Makes a task; a placeholder stands for it until the server has given it a number. */
export function addTask(body: NewTask, placeholder: Task, added?: (task: Task) => void): void {
  noteLocal(placeholder)
  putTasks([placeholder])
  enqueue(creation(crypto.randomUUID(), body, placeholder, added))
}

/** Goes on with one that a page has left behind. */
export function resumeTask({ key, old }: Left, body: NewTask, placeholder: Task): void {
  noteLocal(placeholder)
  putTasks([placeholder])
  resume(creation(key, body, placeholder), old)
}

function creation(
  key: string,
  body: NewTask,
  placeholder: Task,
  added?: (task: Task) => void,
): Intent {
  return {
    key,
    kept: { kind: 'create', body, placeholder },
    // One after the other: they stand in the order in which they were typed.
    lane: `new in ${body.project_id}`,
    label: m.created(body.title),
    async send() {
      const to = 'POST /api/v1/tasks'
      const reply = await answered<typeof createTask>(to, { body }, { idempotencyKey: key })
      noteOwn(reply.operation_id)
      noteVersion(reply.body)
      adopt(placeholder.id, reply.body)
      renameKept(placeholder.id, reply.body)
      refetchLists()
      added?.(reply.body)
    },
    refused(error) {
      dropTask(placeholder.id)
      if (!(error instanceof Problem)) return
      const text = m.notCreated(body.title, error.details[0]?.message ?? error.message)
      toast({ text, tone: 'trouble', request_id: error.request_id })
    },
  }
}
