import { changeTask } from '../../../data/tasks/change-task.ts'
import { getStatusName } from '../../../data/tasks/task-patch.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { PriorityMark } from '../../../ui/marks/priority-mark.tsx'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getTaskMark } from '../../../ui/marks/status-mark-name.ts'
import { PickerButton } from '../../../ui/overlays/picker-button.tsx'
import { PRIORITY_VALUES } from '../../property-definitions.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { PropertyRow } from './property-row.tsx'
import { createStatusPicker } from './task-status.tsx'

export function StatusProperty() {
  const { task, project } = useOpenTask()
  const { write } = useBlockReasons()
  const name = getStatusName(project, task.status)
  return (
    <PropertyRow label={taskDetailMessages.status} fields={['status']}>
      <PickerButton
        className="value"
        data-does="status"
        label={taskDetailMessages.changeOf(taskDetailMessages.status, name)}
        reason={write}
        pick={createStatusPicker(task, project)}
      >
        <StatusMark mark={getTaskMark(project, task)} />
        <span>{name}</span>
      </PickerButton>
    </PropertyRow>
  )
}

export function PriorityProperty() {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const name = taskDetailMessages.priorities[task.priority]
  return (
    <PropertyRow
      label={taskDetailMessages.priority}
      fields={['priority']}
      empty={task.priority === 'none'}
    >
      <PickerButton
        className="value"
        data-does="priority"
        label={taskDetailMessages.changeOf(taskDetailMessages.priority, name)}
        reason={write}
        pick={{
          options: PRIORITY_VALUES.map((id) => ({
            id,
            label: taskDetailMessages.priorities[id],
            mark: <PriorityMark priority={id} silent />,
          })),
          picked: [task.priority],
          onPick([picked]) {
            const priority = PRIORITY_VALUES.find((one) => one === picked)
            if (!priority || priority === task.priority) return
            const label = taskDetailMessages.took(
              task.short_id,
              taskDetailMessages.priority,
              taskDetailMessages.priorities[priority],
            )
            changeTask(task.id, { priority }, { label, from: task })
          },
        }}
      >
        <PriorityMark priority={task.priority} silent />
        <span>{name}</span>
      </PickerButton>
    </PropertyRow>
  )
}
