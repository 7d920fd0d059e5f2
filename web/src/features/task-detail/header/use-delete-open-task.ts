import { deleteTaskWithUndo } from '../../../data/tasks/change-task.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { useOpenTask } from '../open-task-context.ts'
import { getSibling } from './get-sibling.ts'

/** Returns what deletes the open task and leaves it for its neighbour in the list. */
export function useDeleteOpenTask(siblings: readonly string[]): () => void {
  const { task, leave } = useOpenTask()
  const { id, short_id } = task
  return () => {
    deleteTaskWithUndo(id, { label: projectViewMessages.deleted(short_id) })
    leave(getSibling(siblings, short_id, 1) ?? getSibling(siblings, short_id, -1))
  }
}
