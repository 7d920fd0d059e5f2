import { taskOf } from '../../data/task-store.ts'
import { isFinished, type Task } from '../../data/task-view.ts'
import { m } from '../../messages/tasks.ts'
import { Icon } from '../../ui/icon.tsx'

/** What a task waits for, while it is open. */
export function Blocked({ task }: { task: Task }) {
  if (task.blocked_by_ids.length === 0 || isFinished(task)) return null
  const known = task.blocked_by_ids.flatMap((id) => taskOf(id) ?? [])
  const open = known.filter((one) => !isFinished(one))
  // What it waits for is done, as far as that is known here.
  if (known.length === task.blocked_by_ids.length && open.length === 0) return null
  const [first] = open
  return (
    <span className="mini blocked">
      <Icon name="block" />
      {first?.short_id ?? m.blocked}
    </span>
  )
}

/** Subtasks and comments. */
export function Counts({ task }: { task: Task }) {
  const { subtask_count, completed_subtask_count, comment_count } = task
  return (
    <>
      {subtask_count > 0 && (
        <span className="mini">
          <Icon name="sub" />
          {m.subtasks(completed_subtask_count, subtask_count)}
          <span className="sr"> {m.subtasksDone}</span>
        </span>
      )}
      {comment_count > 0 && (
        <span className="mini">
          <Icon name="talk" />
          {comment_count}
          <span className="sr"> {m.comments}</span>
        </span>
      )}
    </>
  )
}
