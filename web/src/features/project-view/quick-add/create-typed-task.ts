import { fitTitle } from '#lib/fit-title.ts'
import type { TypedValue } from '#lib/typed-sentence.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { addNewTag } from '../../../data/resources/tags.ts'
import {
  addTasksInBulk,
  addTaskWithPlaceholder,
  type CreateTaskBody,
} from '../../../data/tasks/create-task.ts'
import { getCompletedStatus, type Task, type TaskPatch } from '../../../data/tasks/task-patch.ts'
import { getRealId } from '../../../data/tasks/task-store.ts'
import { toInstant } from '../../../lib/dates/time-zone.ts'
import { quickAddMessages } from '../../../messages/tasks/quick-add.ts'
import {
  compileFilter,
  getFilterText,
  hasFilterText,
  loadSearchWords,
} from '../filter/filter-query.ts'
import type { ProjectPageContext, ProjectWithoutCounts } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import type { PastedTask } from './pasted-tasks.ts'
import { createPlaceholderTask } from './placeholder-task.ts'

/** Where typed tasks are created. */
export interface TypedTaskTarget {
  project: ProjectWithoutCounts
  me: string
  /** The values that put a task into the group in which it is typed. */
  fields?: TaskPatch | undefined
  parent?: Pick<Task, 'id'> | undefined
}

/**
 * Creates a task from typed text and returns its placeholder. It is queued at once, so that the text
 * is safe; tags that do not exist yet are created after it and added to it then.
 */
export function createTypedTask(
  target: TypedTaskTarget,
  title: string,
  chips: readonly TypedValue[],
  description = '',
): Task {
  const body = buildTask(target, title, chips, description)
  const placeholder = createPlaceholderTask(target.project, target.me, body)
  addTaskWithPlaceholder(body, placeholder)
  addNewTags(placeholder, chips)
  return placeholder
}

function addNewTags(task: Task, chips: readonly TypedValue[] = []): void {
  for (const chip of chips) if (chip.kind === 'new tag') addNewTag(task, chip.name)
}

/** Creates one task per pasted line or row. One with a check mark is completed. */
export function createPastedTasks(target: TypedTaskTarget, lines: readonly PastedTask[]): void {
  const { project, me } = target
  const doneStatus = getCompletedStatus(project)
  const tasks = lines.map(({ text, isDone, chips, description }) => {
    const typed = buildTask(target, text, chips, description)
    const body = isDone && doneStatus ? { ...typed, status: doneStatus } : typed
    return { body, placeholder: createPlaceholderTask(project, me, body) }
  })
  addTasksInBulk(tasks)
  for (const [at, { placeholder }] of tasks.entries()) addNewTags(placeholder, lines[at]?.chips)
}

function buildTask(
  { project, fields = {}, parent }: TypedTaskTarget,
  title: string,
  chips: readonly TypedValue[],
  description = '',
): CreateTaskBody {
  const idsOf = (wanted: 'who' | 'tag') =>
    chips.flatMap((chip) => (chip.kind === wanted ? chip.id : []))
  const due = chips.find((chip) => chip.kind === 'due')
  const repeat = chips.find((chip) => chip.kind === 'repeat')
  const seconds = chips.find((chip) => chip.kind === 'estimate')?.seconds ?? due?.seconds
  const priority = chips.find((chip) => chip.kind === 'priority')
  const status = chips.find((chip) => chip.kind === 'status')?.key ?? fields.status
  const merge = (a: readonly string[] = [], b: readonly string[] = []) => [...new Set([...a, ...b])]
  const assignees = merge(fields.assignee_ids, idsOf('who'))
  const tags = merge(fields.tag_ids, idsOf('tag'))
  const fitted = fitTitle(title)
  const texts = [fitted.description, description].filter(Boolean).join('\n\n')
  return {
    project_id: project.id,
    title: fitted.title,
    ...(texts && { description: texts }),
    ...(status && { status }),
    ...(fields.due_date && { due_date: fields.due_date }),
    ...(fields.priority && { priority: fields.priority }),
    ...(assignees.length > 0 && { assignee_ids: assignees }),
    ...(tags.length > 0 && { tag_ids: tags }),
    ...(repeat && { recurrence: { rrule: repeat.rrule }, ...toDueDate(repeat) }),
    ...(due && toDueDate(due)),
    ...(seconds && { estimate_seconds: seconds }),
    ...(priority && { priority: priority.priority }),
    // The parent may have been saved while the field was open.
    ...(parent && { parent_id: getRealId(parent.id) }),
  }
}

const toDueDate = ({ date, time }: { date: string; time?: string }) => ({
  due_date: date,
  ...(time && { due_at: toInstant(date, time) }),
})

/** Says that a task which was created in a view is not in it, because the filter excludes it. */
export async function notifyIfFilteredOut(
  { filterContext }: ProjectPageContext,
  { filter }: ProjectView,
  task: Task,
): Promise<void> {
  const text = getFilterText(filter)
  const words = text === undefined ? undefined : await loadSearchWords().catch(() => undefined)
  const isListed = compileFilter<Task>(
    filter,
    filterContext,
    (one) => !text || !words || hasFilterText(one, text, words),
  )
  if (!isListed(task)) showToast({ text: quickAddMessages.leftOut(task.title) })
}
