import { useProjectMembers } from '../../../data/resources/project-people.ts'
import { getMemberName, type NamedPeople, useBoot } from '../../../data/session/boot.ts'
import { changeTask } from '../../../data/tasks/change-task.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Avatar } from '../../../ui/marks/avatar.tsx'
import { PickerButton } from '../../../ui/overlays/picker-button.tsx'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { PropertyRow } from './property-row.tsx'

export function AssigneesProperty() {
  const { task, project } = useOpenTask()
  const boot = useBoot('session', 'members', 'former')
  const { write } = useBlockReasons()
  const me = boot.session.user.id
  const assignable = useProjectMembers(boot.members, project)
  const names = task.assignee_ids.map((id) => getMemberName(boot, id))
  const formerMemberIds = task.assignee_ids.filter(
    (id) => !boot.members.some((one) => one.id === id),
  )
  const people = [
    // Also those who were assigned and see the project no more, who can only be removed.
    ...boot.members.filter((one) => assignable.includes(one) || task.assignee_ids.includes(one.id)),
    ...formerMemberIds.map((id) => ({ id, name: getMemberName(boot, id), email: null })),
  ]
  return (
    <PropertyRow
      label={taskDetailMessages.people}
      fields={['assignee_ids']}
      empty={task.assignee_ids.length === 0}
    >
      <PickerButton
        className="value"
        data-does="people"
        label={taskDetailMessages.changeOf(
          taskDetailMessages.people,
          names.join(', ') || taskDetailMessages.nobody,
        )}
        reason={write}
        pick={{
          several: true,
          picked: task.assignee_ids,
          options: people
            .toSorted((a, b) => Number(b.id === me) - Number(a.id === me))
            .map(({ id, name, email }) => ({
              id,
              label: name,
              mark: <Avatar name={name} me={id === me} />,
              ...(email && { words: email }),
            })),
          onPick: (_, { added, removed }) => changeAssignees(boot, task, added, removed),
        }}
      >
        {task.assignee_ids.length === 0 && (
          <span className="quiet">{taskDetailMessages.nobody}</span>
        )}
        {task.assignee_ids.map((id) => (
          <span key={id} className="one-person">
            <Avatar name={getMemberName(boot, id)} me={id === me} named />
          </span>
        ))}
      </PickerButton>
    </PropertyRow>
  )
}

/** Adds and removes assignees as changes of the set, so that concurrent changes are kept. */
export function changeAssignees(
  boot: NamedPeople,
  task: Task,
  added: string[],
  removed: string[],
): void {
  const next = [...task.assignee_ids.filter((id) => !removed.includes(id)), ...added]
  const label = taskDetailMessages.peopleSet(
    task.short_id,
    next.map((id) => getMemberName(boot, id)),
  )
  const patch = {
    ...(added.length > 0 && { add_assignee_ids: added }),
    ...(removed.length > 0 && { remove_assignee_ids: removed }),
  }
  if (added.length + removed.length > 0) changeTask(task.id, patch, { label })
}
