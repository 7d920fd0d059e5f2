import { showToast } from '../../../data/app/toasts.ts'
import { enqueueRecordMutation } from '../../../data/mutations/record-mutations.ts'
import { createProjectTag } from '../../../data/resources/tags.ts'
import { changeTask } from '../../../data/tasks/change-task.ts'
import {
  addTasksInBulk,
  addTaskWithPlaceholder,
  type CreateTaskBody,
} from '../../../data/tasks/create-task.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { getRealId } from '../../../data/tasks/task-store.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
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

/**
 * Creates a task from typed text, in the group in which it was typed. It is queued at once, so that
 * the text is safe; tags that do not exist yet are created after it and added to it then.
 */
export function createTypedTask(
  target: TypedTaskContext,
  title: string,
  chips: readonly QuickAddChip[],
): void {
  const { project, me } = target.context
  const tagIds = chips.flatMap((chip) => (chip.kind === 'tag' ? chip.id : []))
  const body = buildTask(target, title, chips, tagIds)
  const placeholder = createPlaceholderTask(project, me, body)
  addTaskWithPlaceholder(body, placeholder)
  for (const chip of chips) if (chip.kind === 'new tag') addNewTag(placeholder, chip.name)
  notifyIfFilteredOut(target, placeholder)
}

/** Creates a tag and adds it to a task, which may still be a placeholder. */
function addNewTag({ id, project_id }: Task, name: string): void {
  enqueueRecordMutation({
    // One after the other: a name that was typed twice becomes one tag.
    queueKey: `tags of ${project_id}`,
    label: projectViewMessages.makeTag(name),
    async send(key) {
      const tagId = await createOrFindTag(project_id, name, key)
      changeTask(getRealId(id), { add_tag_ids: [tagId] })
    },
  })
}

/** The id of a new tag, or of the one that has the name by now. */
async function createOrFindTag(project_id: string, name: string, key: string): Promise<string> {
  try {
    return (await createProjectTag(project_id, name, key)).id
  } catch (error) {
    const isTaken = error instanceof ApiResponseError && error.code === 'tag_exists'
    const id = isTaken ? error.details[0]?.resource_id : undefined
    if (id === undefined) throw error
    return id
  }
}

/** Creates one task per pasted line. */
export function createPastedTasks(target: TypedTaskContext, titles: readonly string[]): void {
  const { project, me } = target.context
  const tasks = titles.map((title) => {
    const body = buildTask(target, title.slice(0, 500), [], [])
    return { body, placeholder: createPlaceholderTask(project, me, body) }
  })
  addTasksInBulk(tasks)
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

function notifyIfFilteredOut({ context, view }: TypedTaskContext, task: Task): void {
  if (!matchesFilter(task, view.filter, context.filterContext))
    showToast({ text: projectViewMessages.leftOut(task.title) })
}
