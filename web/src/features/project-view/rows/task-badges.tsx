import { isTaskFinished, type Task } from '../../../data/tasks/task-patch.ts'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Icon } from '../../../ui/marks/icon.tsx'

/** The task that blocks this one, while both are open. */
export function BlockedBadge({ task }: { task: Task }) {
  if (task.blocked_by_ids.length === 0 || isTaskFinished(task)) return null
  const loaded = task.blocked_by_ids.flatMap((id) => getCachedTask(id) ?? [])
  const openBlockers = loaded.filter((one) => !isTaskFinished(one))
  // All blockers are loaded and finished.
  if (loaded.length === task.blocked_by_ids.length && openBlockers.length === 0) return null
  const [first] = openBlockers
  return (
    <span className="mini blocked">
      <Icon name="block" />
      {first?.short_id ?? projectViewMessages.blocked}
    </span>
  )
}

/** The numbers of subtasks and comments. */
export function TaskCountBadges({ task }: { task: Task }) {
  const { subtask_count, completed_subtask_count, comment_count } = task
  return (
    <>
      {subtask_count > 0 && (
        <span className="mini">
          <Icon name="sub" />
          {projectViewMessages.subtasks(completed_subtask_count, subtask_count)}
          <span className="sr"> {projectViewMessages.subtasksDone}</span>
        </span>
      )}
      {comment_count > 0 && (
        <span className="mini">
          <Icon name="talk" />
          {comment_count}
          <span className="sr"> {projectViewMessages.comments}</span>
        </span>
      )}
    </>
  )
}
