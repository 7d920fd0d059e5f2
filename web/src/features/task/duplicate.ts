import type { createTask } from '#resources/tasks/contract.ts'
import { noteOwn } from '../../data/own.ts'
import { refetchLists } from '../../data/refetch.ts'
import { putTasks } from '../../data/task-store.ts'
import type { Task } from '../../data/task-view.ts'
import { removeTask } from '../../data/task-writes.ts'
import { toast } from '../../data/toasts.ts'
import { answered } from '../../lib/call.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/task.ts'
import { messageOf } from '../../ui/trouble.tsx'

/** Makes a task like this one, open and without what others said or did to it, right after it. */
export async function duplicate(task: Task, go: (shortId: string) => void): Promise<void> {
  const { project_id, title, description, priority, assignee_ids, tag_ids } = task
  const { start_date, due_date, due_at, parent_id, estimate_seconds, custom_fields } = task
  const due = due_at === null ? { due_date } : { due_date, due_at }
  const body = {
    ...{ project_id, title, description, priority, assignee_ids, tag_ids, start_date, ...due },
    ...{ parent_id, estimate_seconds, custom_fields, after_id: task.id },
  }
  try {
    const to = 'POST /api/v1/tasks'
    const idempotencyKey = crypto.randomUUID()
    const reply = await answered<typeof createTask>(to, { body }, { idempotencyKey })
    noteOwn(reply.operation_id)
    putTasks([reply.body])
    refetchLists()
    const { id, short_id } = reply.body
    toast({ text: m.duplicated(task.short_id), undo: () => removeTask(id) })
    go(short_id)
  } catch (error) {
    const more = error instanceof Problem ? { request_id: error.request_id } : {}
    toast({ text: messageOf(error), tone: 'trouble', ...more })
  }
}
