import { changeTask } from '../../../data/tasks/change-task.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { announce } from '../../../ui/feedback/announce.ts'

/** Moves a subtask one position up or down and announces the new position. */
export function moveSubtask(subtasks: readonly Task[], id: string, step: -1 | 1): void {
  const index = subtasks.findIndex((one) => one.id === id)
  const task = subtasks[index]
  const neighbor = subtasks[index + step]
  if (!task || !neighbor) return
  changeTask(id, step < 0 ? { before_id: neighbor.id } : { after_id: neighbor.id })
  announce(taskDetailMessages.movedTo(task.short_id, index + step + 1, subtasks.length))
}
