import { showToast } from '../../../data/app/toasts.ts'
import {
  type BulkCommand,
  type BulkTaskChange,
  getCommandChange,
} from '../../../data/tasks/bulk-command.ts'
import { changeTask, completeTaskAs, deleteTaskWithUndo } from '../../../data/tasks/change-task.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { getCachedTask, isTempId } from '../../../data/tasks/task-store.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { withDeferred } from '../lazy/with-deferred.ts'
import type { ProjectPageContext } from '../project-page-context.ts'

/** A command on tasks. */
export interface TaskCommand {
  /** "Moved … to Done", given a short id or "12 tasks". */
  label: (targets: string) => string
  /** What it does to the tasks of a project; undefined if it leaves them as they are. */
  changeIn: (project_id: string) => BulkCommand | undefined
  /** Whether the person may do this to a task. */
  isAllowed?: (task: Task) => boolean
}

/** If the given task is selected, a command on it applies to the whole selection. */
export function resolveTargets(
  { selection }: ProjectPageContext,
  id: string | undefined,
): readonly string[] {
  if (id === undefined) return selection.selected.size > 0 ? [...selection.selected] : []
  return selection.selected.has(id) ? [...selection.selected] : [id]
}

/** Describes targets for messages: a short id, or "12 tasks". */
export function describeTargets(ids: readonly string[]): string {
  const [only] = ids
  if (ids.length !== 1 || only === undefined) return projectViewMessages.tasks(ids.length)
  return getCachedTask(only)?.short_id ?? projectViewMessages.tasks(1)
}

/**
 * Runs a command on one or several tasks, with one undo, or says why the project is read-only. A single task can be passed as it was when
 * a picker opened, so that a change of others since then is not overwritten unasked.
 */
export function runCommand(
  { locked }: Pick<ProjectPageContext, 'locked'>,
  ids: readonly string[],
  command: TaskCommand,
  from?: Task,
): void {
  if (locked !== undefined) {
    showToast({ text: locked })
    return
  }
  const saved = ids.filter((id) => !isTempId(id))
  runCommandOnTasks(
    from && saved.length === 1 ? [from] : saved.flatMap((id) => getCachedTask(id) ?? []),
    command,
  )
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
  const groups = Map.groupBy(allowed, ({ project_id }) => project_id)
  const targets = [...groups].flatMap(([project_id, some]) => {
    const change = command.changeIn(project_id)
    const numbers = some.map(({ number }) => number)
    return change ? { project_id, numbers, command: change } : []
  })
  withDeferred(({ runInBulk }) => runInBulk(targets, command.label))
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
