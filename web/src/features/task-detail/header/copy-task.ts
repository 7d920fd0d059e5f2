import {
  type Boot,
  bootState,
  getMemberName,
  type NamedPeople,
} from '../../../data/session/boot.ts'
import { getStatusName, type Task } from '../../../data/tasks/task-patch.ts'
import { getTaskPath } from '../../../data/tasks/task-path.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { copyWithToast } from '../../../ui/form/copy-button.tsx'
import { VALUE_PROPERTIES } from '../../property-definitions.ts'
import { formatCustomValue } from '../formatting/custom-field-value.ts'
import { describeRecurrence } from '../formatting/describe-recurrence.ts'

/** The address of a task's own page. */
const getTaskUrl = ({ short_id }: Task): string =>
  location.origin + getTaskPath(bootState.get()?.session.workspace.id ?? '', short_id)

/** Copies the address of a task to the clipboard. */
export const copyTaskLink = (task: Task): Promise<void> =>
  copyWithToast(getTaskUrl(task), taskDetailMessages.linkCopied(task.short_id))

/** Copies the short id of a task to the clipboard. */
export const copyTaskId = ({ short_id }: Task): Promise<void> =>
  copyWithToast(short_id, taskDetailMessages.idCopied(short_id))

/** Copies a task as Markdown to the clipboard: title, properties, description. */
export const copyTaskMarkdown = (
  task: Task,
  boot: NamedPeople & Pick<Boot, 'projects'>,
): Promise<void> =>
  copyWithToast(toTaskMarkdown(task, boot), taskDetailMessages.markdownCopied(task.short_id))

/** Formats a task as Markdown. */
function toTaskMarkdown(task: Task, boot: NamedPeople & Pick<Boot, 'projects'>): string {
  const project = boot.projects.find(({ id }) => id === task.project_id)
  const properties: [string, string | undefined][] = [
    [taskDetailMessages.status, getStatusName(project, task.status)],
    [
      taskDetailMessages.priority,
      task.priority === 'none' ? undefined : taskDetailMessages.priorities[task.priority],
    ],
    [
      taskDetailMessages.people,
      task.assignee_ids.map((id) => getMemberName(boot, id)).join(', ') || undefined,
    ],
    [taskDetailMessages.due, task.due_date ?? undefined],
    ...VALUE_PROPERTIES.map(({ id, format }): [string, string] => [
      projectViewMessages.properties[id],
      format(task),
    ]),
    [
      taskDetailMessages.repeats,
      task.recurrence
        ? describeRecurrence(task.recurrence.rrule, task.recurrence.basis)
        : undefined,
    ],
    ...Object.entries(task.custom_fields ?? {}).map(([name, value]): [string, string] => [
      name,
      formatCustomValue(value),
    ]),
  ]
  const lines = properties.flatMap(([name, value]) => (value ? [`- ${name}: ${value}`] : []))
  const heading = `# [${task.short_id}](${getTaskUrl(task)}) ${task.title}`
  return [heading, lines.join('\n'), task.description ?? ''].filter(Boolean).join('\n\n')
}
