import './task-links.css'
import { useTask } from '../../../data/tasks/task-store.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { useOpenTask } from '../open-task-context.ts'
import { TaskLink } from './task-link.tsx'

/** A link to another task by short id and title, or a note that the viewer may not see it. */
export function TaskReference({ id }: { id: string }) {
  const task = useTask(id)
  const { showTask } = useOpenTask()
  if (!task) return <span className="quiet">{taskDetailMessages.hidden}</span>
  return (
    <span className="task-ref" data-s={task.status_category}>
      <TaskLink className="no" shortId={task.short_id} onGo={showTask}>
        <ShortId id={task.short_id} />
      </TaskLink>
      <TaskLink className="clip" shortId={task.short_id} onGo={showTask}>
        {task.title}
      </TaskLink>
    </span>
  )
}
