import { useSyncExternalStore } from 'react'
import { isTaskFinished, type Task } from '../../data/tasks/task-patch.ts'
import { getCachedTask, subscribeToTasks } from '../../data/tasks/task-store.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { Icon } from '../../ui/marks/icon.tsx'

/** The task that blocks this one, while both are open. */
export const BlockedBadge = ({ task }: { task: Task }) =>
  task.blocked_by_ids.length === 0 || isTaskFinished(task) ? null : (
    <BlockerBadge ids={task.blocked_by_ids} />
  )

/** Subscribes to all tasks, because a row renders again only when its own task changes. */
function BlockerBadge({ ids }: { ids: readonly string[] }) {
  const label = useSyncExternalStore(subscribeToTasks, () => getBlockerLabel(ids))
  return (
    label !== undefined && (
      <span className="mini blocked">
        <Icon
          name="block"
          {...(label !== projectViewMessages.blocked && { label: projectViewMessages.blocked })}
        />
        <span>{label}</span>
      </span>
    )
  )
}

/** The short id of the first open blocker; undefined once all of them are finished. */
export function getBlockerLabel(ids: readonly string[]): string | undefined {
  const loaded = ids.flatMap((id) => getCachedTask(id) ?? [])
  const open = loaded.find((one) => !isTaskFinished(one))
  if (open) return open.short_id
  return loaded.length < ids.length ? projectViewMessages.blocked : undefined
}
