import { showToast } from '../../../data/app/toasts.ts'
import type { BulkTaskChange, ProjectTaskNumbers } from '../../../data/mutations/bulk-change.ts'
import { changeTask, completeTaskAs, deleteTaskWithUndo } from '../../../data/tasks/change-task.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { findTaskIdByNumber, getCachedTask } from '../../../data/tasks/task-store.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import type { ProjectPageContext } from '../project-page-context.ts'

/** A command on tasks. It returns the change of each task, or undefined to skip that task. */
export interface TaskCommand {
  /** "Moved … to Done", given a short id or "12 tasks". */
  label: (targets: string) => string
  changeFor: (task: Task) => BulkTaskChange | undefined
}

export const findTaskByNumber = (
  { project }: ProjectPageContext,
  number: number,
): Task | undefined => getCachedTask(findTaskIdByNumber(project.id, number) ?? '')

/** If the given task is selected, a command on it applies to the whole selection. */
export function resolveTargets(
  { selection }: ProjectPageContext,
  number: number | undefined,
): readonly number[] {
  if (number === undefined) return selection.selected.size > 0 ? [...selection.selected] : []
  return selection.selected.has(number) ? [...selection.selected] : [number]
}

/** Describes targets for messages: a short id, or "12 tasks". */
export function describeTargets(context: ProjectPageContext, numbers: readonly number[]): string {
  const [only] = numbers
  if (numbers.length !== 1 || only === undefined) return projectViewMessages.tasks(numbers.length)
  return findTaskByNumber(context, only)?.short_id ?? `${context.project.prefix}-${only}`
}

/** Runs a command on one or several tasks of a project, with one undo. */
export function runCommand(
  context: ProjectPageContext,
  numbers: readonly number[],
  { label, changeFor }: TaskCommand,
): void {
  const saved = numbers.filter((number) => number > 0)
  if (context.locked !== undefined || saved.length === 0) return
  const text = label(describeTargets(context, saved))
  const [only] = saved
  if (saved.length > 1 || only === undefined) {
    changeInBulk([{ project_id: context.project.id, numbers: saved }], text, changeFor)
    return
  }
  const task = findTaskByNumber(context, only)
  const change = task && changeFor(task)
  if (task && change) changeOne(task, change, text)
}

/** Runs a command on tasks that may belong to several projects, with one undo. */
export function runCommandOnTasks(tasks: readonly Task[], { label, changeFor }: TaskCommand): void {
  const [only] = tasks
  if (!only) return
  const text = label(tasks.length === 1 ? only.short_id : projectViewMessages.tasks(tasks.length))
  if (tasks.length === 1) {
    const change = changeFor(only)
    if (change) changeOne(only, change, text)
    return
  }
  const groups = [...Map.groupBy(tasks, ({ project_id }) => project_id)].map(
    ([project_id, some]) => ({ project_id, numbers: some.map(({ number }) => number) }),
  )
  changeInBulk(groups, text, changeFor)
}

function changeInBulk(
  of: readonly ProjectTaskNumbers[],
  label: string,
  changeFor: (task: Task) => BulkTaskChange | undefined,
): void {
  void import('../lazy/deferred-bundle.ts').then(({ changeTasksInBulk, showBulkRejections }) => {
    const { undo } = changeTasksInBulk({
      ...{ targets: of, label, onRejected: showBulkRejections },
      changeFor: (_, task) => task && changeFor(task),
    })
    showToast({ text: label, undo })
  })
}

function changeOne(task: Task, { kind, patch }: BulkTaskChange, label: string): void {
  const undoInfo = { label, from: task }
  if (kind === 'delete') deleteTaskWithUndo(task.id, undoInfo)
  else if (kind === 'complete') completeTaskAs(task.id, patch.status ?? task.status, undoInfo)
  else changeTask(task.id, patch, undoInfo)
}
