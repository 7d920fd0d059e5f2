import type { Project } from '#resources/projects/contract.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { changeTask } from '../../../data/tasks/change-task.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { PickerButton, type PickerConfig } from '../../../ui/overlays/picker-button.tsx'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { PropertyRow } from './property-row.tsx'

export function ProjectProperty() {
  const { task, project } = useOpenTask()
  const { projects } = useBoot('projects')
  const { write } = useBlockReasons()
  return (
    <PropertyRow label={taskDetailMessages.project} fields={['project_id']}>
      <PickerButton
        className="value"
        data-does="project"
        label={taskDetailMessages.changeOf(
          taskDetailMessages.project,
          project ? `${project.prefix} ${project.name}` : taskDetailMessages.none,
        )}
        reason={write}
        pick={createProjectPicker(task, projects)}
      >
        {project && <span className="mono">{project.prefix}</span>} {project?.name}
      </PickerButton>
    </PropertyRow>
  )
}

/** Creates the picker of the project to move a task to, with active projects only. */
const createProjectPicker = (task: Task, projects: readonly Project[]): PickerConfig => ({
  options: projects
    .filter(({ id, status }) => status === 'active' || id === task.project_id)
    .map(({ id, name, prefix }) => ({ id, label: name, hint: prefix, words: prefix })),
  picked: [task.project_id],
  onPick([project_id]) {
    const target = projects.find(({ id }) => id === project_id)
    if (!target || target.id === task.project_id) return
    const label = projectViewMessages.moved(task.short_id, target.name)
    changeTask(task.id, { project_id: target.id }, { label, from: task })
  },
})
