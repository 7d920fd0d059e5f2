import { changeTask } from '../../../data/task-writes.ts'
import { m } from '../../../messages/task.ts'
import { PickButton } from '../../../ui/pick.tsx'
import { PriorityMark } from '../../../ui/priority-mark.tsx'
import { stampOf } from '../../../ui/stamp.ts'
import { StatusMark } from '../../../ui/status-mark.tsx'
import { useOpenTask } from '../open-task.ts'
import { useRights } from '../rights.ts'
import { pickStatus, statusName } from '../status-pick.tsx'
import { Prop } from './prop.tsx'

export function StatusProp() {
  const { task, project } = useOpenTask()
  const { write } = useRights()
  const name = statusName(task, project)
  return (
    <Prop label={m.status} fields={['status']}>
      <PickButton
        className="value"
        data-does="status"
        label={m.changeOf(m.status, name)}
        reason={write}
        pick={pickStatus(task, project)}
      >
        <StatusMark mark={stampOf(project?.statuses, task.status, task.status_category)} />
        {name}
      </PickButton>
    </Prop>
  )
}

const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none'] as const

export function PriorityProp() {
  const { task } = useOpenTask()
  const { write } = useRights()
  const name = m.priorities[task.priority]
  return (
    <Prop label={m.priority} fields={['priority']}>
      <PickButton
        className="value"
        data-does="priority"
        label={m.changeOf(m.priority, name)}
        reason={write}
        pick={{
          options: PRIORITIES.map((id) => ({
            id,
            label: m.priorities[id],
            mark: <PriorityMark priority={id} silent />,
          })),
          picked: [task.priority],
          onPick([picked]) {
            const priority = PRIORITIES.find((one) => one === picked)
            if (!priority || priority === task.priority) return
            const label = m.took(task.short_id, m.priority, m.priorities[priority])
            changeTask(task.id, { priority }, { label, from: task })
          },
        }}
      >
        <PriorityMark priority={task.priority} silent />
        {name}
      </PickButton>
    </Prop>
  )
}
