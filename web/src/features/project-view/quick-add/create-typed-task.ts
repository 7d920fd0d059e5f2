import { showToast } from '../../../data/app/toasts.ts'
import { addTasksInBulk } from '../../../data/mutations/bulk-create.ts'
import { createProjectTag } from '../../../data/resources/tags.ts'
import { addTaskWithPlaceholder, type CreateTaskBody } from '../../../data/tasks/create-task.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { getErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { matchesFilter } from '../filter/filter-query.ts'
import { patchIntoGroup } from '../grouping/task-groups.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import type { QuickAddChip } from './parse-quick-add.ts'
import { createPlaceholderTask } from './placeholder-task.ts'
import type { NewTaskTarget } from './quick-add-context.ts'

interface TypedTaskContext {
  context: ProjectPageContext
  view: ProjectView
  place: NewTaskTarget
}

/** Creates a task from typed text, in the group in which it was typed. */
export async function createTypedTask(
  target: TypedTaskContext,
  title: string,
  chips: readonly QuickAddChip[],
): Promise<void> {
  const { context } = target
  try {
    const body = buildTask(target, title, chips, await resolveTagIds(context, chips))
    const placeholder = createPlaceholderTask(context.project, context.me, body)
    addTaskWithPlaceholder(body, placeholder)
    notifyIfFilteredOut(target, placeholder)
  } catch (error) {
    showToast({ text: getErrorMessage(error), tone: 'trouble' })
  }
}

/** Creates one task per pasted line. */
export function createPastedTasks(
  target: TypedTaskContext,
  titles: readonly string[],
  label: string,
): void {
  const { project, me } = target.context
  const tasks = titles.map((title) => {
    const body = buildTask(target, title.slice(0, 500), [], [])
    return { body, placeholder: createPlaceholderTask(project, me, body) }
  })
  addTasksInBulk(tasks, label)
}

function buildTask(
  { context, view, place }: TypedTaskContext,
  title: string,
  chips: readonly QuickAddChip[],
  tag_ids: readonly string[],
): CreateTaskBody {
  const { project, filterContext } = context
  const groupFields = patchIntoGroup(view, place.group, filterContext.today) ?? {}
  const chipAssignees = chips.flatMap((chip) => (chip.kind === 'who' ? chip.id : []))
  const due = chips.find((chip) => chip.kind === 'due')
  const priority = chips.find((chip) => chip.kind === 'priority')
  const merge = <T>(a: readonly T[] = [], b: readonly T[] = []) => [...new Set([...a, ...b])]
  const assignees = merge(groupFields.assignee_ids, chipAssignees)
  const tags = merge(groupFields.tag_ids, tag_ids)
  return {
    ...{ project_id: project.id, title },
    ...(groupFields.status && { status: groupFields.status }),
    ...(groupFields.due_date && { due_date: groupFields.due_date }),
    ...(groupFields.priority && { priority: groupFields.priority }),
    ...(assignees.length > 0 && { assignee_ids: assignees }),
    ...(tags.length > 0 && { tag_ids: tags }),
    ...(due && { due_date: due.date }),
    ...(priority && { priority: priority.priority }),
    ...(place.parent && { parent_id: place.parent.id }),
  }
}

/** The tag ids of the chips; tags that do not exist yet are created first. */
const resolveTagIds = (
  { project }: ProjectPageContext,
  chips: readonly QuickAddChip[],
): Promise<string[]> =>
  Promise.all(
    chips.flatMap((chip) => {
      if (chip.kind === 'tag') return chip.id
      return chip.kind === 'new tag'
        ? createProjectTag(project.id, chip.name).then(({ id }) => id)
        : []
    }),
  )

function notifyIfFilteredOut({ context, view }: TypedTaskContext, task: Task): void {
  if (!matchesFilter(task, view.filter, context.filterContext))
    showToast({ text: projectViewMessages.leftOut(task.title) })
}
