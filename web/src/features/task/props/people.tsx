import type { Boot } from '../../../data/boot.ts'
import { nameOf, useBoot } from '../../../data/boot.ts'
import type { Task } from '../../../data/task-view.ts'
import { changeTask } from '../../../data/task-writes.ts'
import { m } from '../../../messages/task.ts'
import { Person } from '../../../ui/person.tsx'
import { PickButton } from '../../../ui/pick.tsx'
import { useOpenTask } from '../open-task.ts'
import { useRights } from '../rights.ts'
import { Prop } from './prop.tsx'

export function PeopleProp() {
  const { task } = useOpenTask()
  const boot = useBoot()
  const { write } = useRights()
  const me = boot.session.user.id
  const names = task.assignee_ids.map((id) => nameOf(boot, id))
  const gone = task.assignee_ids.filter((id) => !boot.members.some((one) => one.id === id))
  const people = [
    ...boot.members,
    ...gone.map((id) => ({ id, name: nameOf(boot, id), email: null })),
  ]
  return (
    <Prop label={m.people} fields={['assignee_ids']}>
      <PickButton
        className="value"
        data-does="people"
        label={m.changeOf(m.people, names.join(', ') || m.nobody)}
        reason={write}
        pick={{
          several: true,
          picked: task.assignee_ids,
          options: people
            .toSorted((a, b) => Number(b.id === me) - Number(a.id === me))
            .map(({ id, name, email }) => ({
              id,
              label: name,
              mark: <Person name={name} me={id === me} />,
              ...(email && { words: email }),
            })),
          onPick: (_, { added, removed }) => assign(boot, task, added, removed),
        }}
      >
        {task.assignee_ids.length === 0 && <span className="quiet">{m.nobody}</span>}
        {task.assignee_ids.map((id) => (
          <span key={id} className="one-person">
            <Person name={nameOf(boot, id)} me={id === me} named />
          </span>
        ))}
      </PickButton>
    </Prop>
  )
}

/** Adds people to a task and takes others off: changes of the set, so that nobody else's is lost. */
export function assign(boot: Boot, task: Task, added: string[], removed: string[]): void {
  const next = [...task.assignee_ids.filter((id) => !removed.includes(id)), ...added]
  const label = m.peopleSet(
    task.short_id,
    next.map((id) => nameOf(boot, id)),
  )
  const patch = {
    ...(added.length > 0 && { add_assignee_ids: added }),
    ...(removed.length > 0 && { remove_assignee_ids: removed }),
  }
  if (added.length + removed.length > 0) changeTask(task.id, patch, { label })
}
