import { useTask } from '../../data/task-store.ts'
import { m } from '../../messages/task.ts'
import { ShortId } from '../../ui/short-id.tsx'
import { useOpenTask } from './open-task.ts'
import { TaskLink } from './task-link.tsx'

/** Another task by its number and title; one that the person does not see is told as that. */
export function TaskRef({ id }: { id: string }) {
  const task = useTask(id)
  const { go } = useOpenTask()
  if (!task) return <span className="quiet">{m.hidden}</span>
  return (
    <span className="task-ref" data-s={task.status_category}>
      <TaskLink className="no" shortId={task.short_id} onGo={go}>
        <ShortId id={task.short_id} />
      </TaskLink>
      <TaskLink className="clip" shortId={task.short_id} onGo={go}>
        {task.title}
      </TaskLink>
    </span>
  )
}
