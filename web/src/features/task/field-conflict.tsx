import { useQuery } from '@tanstack/react-query'
import { useConflict } from '../../data/task-store.ts'
import type { Task } from '../../data/task-view.ts'
import { keepMine, takeTheirs } from '../../data/task-writes.ts'
import { timeOf } from '../../lib/instant.ts'
import { m } from '../../messages/task.ts'
import { Button } from '../../ui/button.tsx'
import { useNames } from './names.ts'
import { useOpenTask } from './open-task.ts'
import { whoChanged } from './who-changed.ts'

/**
 * Told at a field that somebody else changed while one's own change of it was on its way: who, to what, when. Mine
 * stays on the screen; nothing is dropped until one of the two is chosen.
 */
export function FieldConflict({ fields }: { fields: readonly (keyof Task)[] }) {
  const { task } = useOpenTask()
  const conflict = useConflict(task.id)
  const field = conflict?.fields.find((name) => fields.includes(name))
  if (!conflict || !field) return null
  return <Strip key={conflict.theirs.version} field={field} />
}

function Strip({ field }: { field: keyof Task }) {
  const { task } = useOpenTask()
  const names = useNames()
  const conflict = useConflict(task.id)
  const { data: who } = useQuery({
    queryKey: ['activity', task.id, 'who', field, conflict?.theirs.version],
    queryFn: () => whoChanged(task.id, field).then((found) => found ?? null),
  })
  if (!conflict) return null
  const { change, theirs } = conflict
  const at = timeOf(who?.at ?? theirs.updated_at)
  return (
    <div className="strip" role="alert">
      <span>
        {m.theySet(who?.name ?? m.somebody, names.value(field, theirs[field]), at)}{' '}
        {m.youWrote(names.value(field, task[field]))}
      </span>
      <span className="acts">
        <Button onClick={() => keepMine(task.id, change, theirs)}>{m.keepMine}</Button>
        <Button onClick={() => takeTheirs(task.id, change)}>{m.takeTheirs}</Button>
      </span>
    </div>
  )
}
