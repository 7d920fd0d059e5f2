import type { BulkTarget } from '../../../data/mutations/bulk-change.ts'
import {
  type BulkCommand,
  type BulkTaskChange,
  getCommandChange,
} from '../../../data/tasks/bulk-command.ts'
import { changeTask, completeTaskAs, deleteTaskWithUndo } from '../../../data/tasks/change-task.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { findTaskIdByNumber, getCachedTask } from '../../../data/tasks/task-store.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { withDeferred } from '../lazy/with-deferred.ts'
import type { ProjectPageContext } from '../project-page-context.ts'

/** A command on tasks. */
export interface TaskCommand {
  /** "Moved … to Done", given a short id or "12 tasks". */
  label: (targets: string) => string
  /** What it does to the tasks of a project; undefined if it leaves them as they are. */
  changeIn: (project_id: string) => BulkCommand | undefined
  /** Whether the person may do this to a task. The server decides about tasks that are not loaded. */
  isAllowed?: (task: Task) => boolean
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

/**
 * Runs a command on one or several tasks of a project, with one undo. A single task can be passed as
 * it was when a picker opened, so that a change of others since then is not overwritten unasked.
 */
export function runCommand(
  context: ProjectPageContext,
  numbers: readonly number[],
  command: TaskCommand,
  from?: Task,
): void {
  const saved = numbers.filter((number) => number > 0)
  if (context.locked !== undefined || saved.length === 0) return
  const allowed = saved.filter((number) => {
    const task = findTaskByNumber(context, number)
    return !task || (command.isAllowed?.(task) ?? true)
  })
  const [only] = allowed
  if (only === undefined) return
  if (allowed.length > 1) {
    changeInBulk([{ project_id: context.project.id, numbers: allowed }], command)
    return
  }
  const task = from ?? findTaskByNumber(context, only)
  if (task) runOnOne(task, command)
}

/** Runs a command on tasks that may belong to several projects, with one undo. */
export function runCommandOnTasks(tasks: readonly Task[], command: TaskCommand): void {
  const allowed = tasks.filter((task) => command.isAllowed?.(task) ?? true)
  const [only] = allowed
  if (!only) return
  if (allowed.length === 1) {
    runOnOne(only, command)
    return
  }
  const groups = [...Map.groupBy(allowed, ({ project_id }) => project_id)].map(
    ([project_id, some]) => ({ project_id, numbers: some.map(({ number }) => number) }),
  )
  changeInBulk(groups, command)
}

function changeInBulk(
  groups: readonly Omit<BulkTarget, 'command'>[],
  { label, changeIn }: TaskCommand,
): void {
  const targets = groups.flatMap((group) => {
    const command = changeIn(group.project_id)
    return command ? { ...group, command } : []
  })
  withDeferred(({ runInBulk }) => runInBulk(targets, label))
}

function runOnOne(task: Task, { label, changeIn }: TaskCommand): void {
  const command = changeIn(task.project_id)
  const change = command && getCommandChange(command, task)
  if (change) changeOne(task, change, label(task.short_id))
}

function changeOne(task: Task, { kind, patch }: BulkTaskChange, label: string): void {
  const undoInfo = { label, from: task }
  if (kind === 'delete') deleteTaskWithUndo(task.id, undoInfo)
  else if (kind === 'complete') completeTaskAs(task.id, patch.status ?? task.status, undoInfo)
  else changeTask(task.id, patch, undoInfo)
}
