import { getCompletedStatus, type Task, type TaskChange, type TaskPatch } from './task-patch.ts'

/** The change that a command makes to one task. */
export interface BulkTaskChange {
  kind: TaskChange['kind']
  patch: TaskPatch
}

/** What a command does to each task of a project, as JSON. */
export type BulkCommand =
  /** With `in_status`, only tasks that still have that status are changed. */
  | { kind: 'patch'; patch: TaskPatch; in_status?: string }
  | { kind: 'complete'; status: string }
  | { kind: 'delete' }
  /** A change of its own for each task, by number. */
  | { kind: 'each'; changes: readonly (readonly [number: number, change: BulkTaskChange])[] }

/** The change that a command makes to a task; undefined if it leaves the task as it is. */
export function getCommandChange(command: BulkCommand, task: Task): BulkTaskChange | undefined {
  switch (command.kind) {
    case 'patch': {
      const { patch, in_status = task.status } = command
      return task.status === in_status && hasEffect(task, patch)
        ? { kind: 'patch', patch }
        : undefined
    }
    case 'complete':
      return completeOrPatch(task, command.status)
    case 'delete':
      return { kind: 'delete', patch: {} }
    case 'each':
      return findOwnChange(command, task.number)
  }
}

/** The change that a command has for one task alone, which need not be loaded. */
export function findOwnChange(command: BulkCommand, number: number): BulkTaskChange | undefined {
  if (command.kind !== 'each') return undefined
  return command.changes.find(([one]) => one === number)?.[1]
}

/** The command that gives tasks of a project a status. */
export const toStatusCommand = (
  project: Parameters<typeof getCompletedStatus>[0],
  status: string,
): BulkCommand =>
  // The complete operation leads to the same status, but also creates the next task of a recurring
  // series.
  status === getCompletedStatus(project)
    ? { kind: 'complete', status }
    : { kind: 'patch', patch: { status } }

/**
 * Whether a patch changes a task. Additions to and removals from a set always count as a change.
 */
const hasEffect = (task: Task, patch: TaskPatch): boolean =>
  Object.entries(patch).some(([name, value]) => task[name as keyof Task] !== value)

function completeOrPatch(task: Task, status: string): BulkTaskChange | undefined {
  if (task.status === status) return undefined
  const kind = task.status_category === 'completed' ? 'patch' : 'complete'
  return { kind, patch: { status } }
}
