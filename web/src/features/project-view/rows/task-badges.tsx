import type { Task } from '../../../data/tasks/task-patch.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Icon } from '../../../ui/marks/icon.tsx'

/** The ids of subtasks and comments. */
export function TaskCountBadges({ task }: { task: Task }) {
  const { subtask_count, completed_subtask_count, comment_count } = task
  return (
    <>
      {subtask_count > 0 && (
        <span className="mini">
          <Icon name="sub" />
          <span>{projectViewMessages.subtasks(completed_subtask_count, subtask_count)}</span>
          <span className="sr"> {projectViewMessages.subtasksDone}</span>
        </span>
      )}
      {comment_count > 0 && (
        <span className="mini">
          <Icon name="talk" />
          <span>{comment_count}</span>
          <span className="sr"> {projectViewMessages.comments(comment_count)}</span>
        </span>
      )}
    </>
  )
}
