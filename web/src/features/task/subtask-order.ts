import type { Task } from '../../data/task-view.ts'
import { changeTask } from '../../data/task-writes.ts'
import { m } from '../../messages/task.ts'
import { announce } from '../../ui/announce.ts'

/** Moves a subtask one place up or down among the others, and says where it is. */
export function moveSubtask(subtasks: readonly Task[], id: string, by: -1 | 1): void {
  const at = subtasks.findIndex((one) => one.id === id)
  const task = subtasks[at]
  const other = subtasks[at + by]
  if (!task || !other) return
  changeTask(id, by < 0 ? { before_id: other.id } : { after_id: other.id })
  announce(m.movedTo(task.short_id, at + by + 1, subtasks.length))
}
