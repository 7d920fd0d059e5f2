import './conflicts.css'
import { useQuery } from '@tanstack/react-query'
import { discardLocalChange, keepLocalChange } from '../../../data/tasks/task-conflicts.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { useTaskConflict } from '../../../data/tasks/task-store.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { useNameLookup } from '../formatting/use-name-lookup.ts'
import { useOpenTask } from '../open-task-context.ts'
import { findLastChange } from './find-last-change.ts'

/**
 * Shown at a field that someone else changed while the viewer's change was in flight. The viewer's
 * value stays on the screen; nothing is discarded until one of the two is chosen.
 */
export function FieldConflict({ fields }: { fields: readonly (keyof Task)[] }) {
  const { task } = useOpenTask()
  const conflict = useTaskConflict(task.id)
  const field = conflict?.fields.find((name) => fields.includes(name))
  if (!conflict || !field) return null
  return <ConflictStrip key={conflict.theirs.version} field={field} />
}

function ConflictStrip({ field }: { field: keyof Task }) {
  const { task } = useOpenTask()
  const names = useNameLookup()
  const conflict = useTaskConflict(task.id)
  const { data: lastChange } = useQuery({
    queryKey: ['activity', task.id, 'who', field, conflict?.theirs.version],
    queryFn: () => findLastChange(task.id, field).then((change) => change ?? null),
  })
  if (!conflict) return null
  const { change, theirs } = conflict
  const changedAt = formatTime(lastChange?.at ?? theirs.updated_at)
  return (
    <div className="strip" role="alert">
      <span>
        {taskDetailMessages.theySet(
          lastChange?.name ?? taskDetailMessages.somebody,
          names.value(field, theirs[field]),
          changedAt,
        )}{' '}
        {taskDetailMessages.youWrote(names.value(field, task[field]))}
      </span>
      <span className="acts">
        <Button onClick={() => keepLocalChange(task.id, change, theirs)}>
          {taskDetailMessages.keepMine}
        </Button>
        <Button onClick={() => discardLocalChange(task.id)}>{taskDetailMessages.takeTheirs}</Button>
      </span>
    </div>
  )
}
