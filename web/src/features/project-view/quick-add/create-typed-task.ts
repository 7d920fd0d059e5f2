import { fitTitle } from '#lib/fit-title.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { addNewTag } from '../../../data/resources/tags.ts'
import {
  addTasksInBulk,
  addTaskWithPlaceholder,
  type CreateTaskBody,
} from '../../../data/tasks/create-task.ts'
import { getCompletedStatus, type Task } from '../../../data/tasks/task-patch.ts'
import { getRealId } from '../../../data/tasks/task-store.ts'
import type { PastedLine } from '../../../lib/text/pasted-lines.ts'
import { quickAddMessages } from '../../../messages/tasks/quick-add.ts'
import {
  compileFilter,
  getFilterText,
  hasFilterText,
  loadSearchWords,
} from '../filter/filter-query.ts'
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
  void notifyIfFilteredOut(target, placeholder)
}

/** Creates one task per pasted line. One with a check mark is completed. */
export function createPastedTasks(target: TypedTaskContext, lines: readonly PastedLine[]): void {
  const { project, me } = target.context
  const doneStatus = getCompletedStatus(project)
  const tasks = lines.map(({ text, isDone }) => {
    const typed = buildTask(target, text, [], [])
    const body = isDone && doneStatus ? { ...typed, status: doneStatus } : typed
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
    project_id: project.id,
    ...fitTitle(title),
    ...(groupFields.status && { status: groupFields.status }),
    ...(groupFields.due_date && { due_date: groupFields.due_date }),
    ...(groupFields.priority && { priority: groupFields.priority }),
    ...(assignees.length > 0 && { assignee_ids: assignees }),
    ...(tags.length > 0 && { tag_ids: tags }),
    ...(due && { due_date: due.date }),
    ...(priority && { priority: priority.priority }),
    // The parent may have been saved while the field was open.
    ...(place.parent && { parent_id: getRealId(place.parent.id) }),
  }
}

async function notifyIfFilteredOut(
  { context, view: { filter } }: TypedTaskContext,
  task: Task,
): Promise<void> {
  const text = getFilterText(filter)
  const words = text === undefined ? undefined : await loadSearchWords().catch(() => undefined)
  const isListed = compileFilter<Task>(
    filter,
    context.filterContext,
    (one) => !text || !words || hasFilterText(one, text, words),
  )
  if (!isListed(task)) showToast({ text: quickAddMessages.leftOut(task.title) })
}
