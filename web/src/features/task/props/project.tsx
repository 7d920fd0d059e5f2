import type { Project } from '#resources/projects/contract.ts'
import { useBoot } from '../../../data/boot.ts'
import type { Task } from '../../../data/task-view.ts'
import { changeTask } from '../../../data/task-writes.ts'
import { m } from '../../../messages/task.ts'
import { PickButton, type PickProps } from '../../../ui/pick.tsx'
import { useOpenTask } from '../open-task.ts'
import { useRights } from '../rights.ts'
import { Prop } from './prop.tsx'

export function ProjectProp() {
  const { task, project } = useOpenTask()
  const { projects } = useBoot()
  const { write } = useRights()
  return (
    <Prop label={m.project} fields={['project_id']}>
      <PickButton
        className="value"
        data-does="project"
        label={m.changeOf(m.project, project ? `${project.prefix} ${project.name}` : m.none)}
        reason={write}
        pick={pickProject(task, projects)}
      >
        {project && <span className="mono">{project.prefix}</span>} {project?.name}
      </PickButton>
    </Prop>
  )
}

/** What a picker offers to move a task to: active projects. */
const pickProject = (task: Task, projects: readonly Project[]): PickProps => ({
  options: projects
    .filter(({ id, status }) => status === 'active' || id === task.project_id)
    .map(({ id, name, prefix }) => ({ id, label: name, hint: prefix, words: prefix })),
  picked: [task.project_id],
  onPick([project_id]) {
    const to = projects.find(({ id }) => id === project_id)
    if (!to || to.id === task.project_id) return
    const label = m.moved(task.short_id, to.name)
    changeTask(task.id, { project_id: to.id }, { label, from: task })
  },
})
