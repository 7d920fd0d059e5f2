import { ApiResponseError } from '../../lib/http/problem.ts'
import { TaskGoneError } from './task-gone-error.ts'
import {
  findConflictingFields,
  type Task,
  type TaskChange,
  type TaskConflict,
} from './task-patch.ts'

/** The page and the server, as sending a change of a task sees them. */
export interface TaskChangePort {
  /** The server's version of the task; undefined if it was deleted. */
  getServerTask: () => Task | undefined
  /** The version that the last own change has produced. */
  getOwnVersion: () => number | undefined
  request: (change: TaskChange, version: number) => Promise<Task | undefined>
  /** Reads the task anew and shows it. */
  refetch: () => Promise<Task>
  /** Lets the person choose; resolves with their change, stored, or undefined if they drop it. */
  choose: (conflict: TaskConflict) => Promise<TaskChange | undefined>
}

/**
 * Sends a change; if somebody else has changed other fields meanwhile, on top of theirs, and if the
 * same ones, after the person has chosen. Returns the resulting task, if the change was not dropped.
 */
export async function sendTaskChange(
  port: TaskChangePort,
  made: TaskChange,
  goneMessage: string,
): Promise<Task | undefined> {
  let change = made
  for (;;) {
    const base = port.getServerTask()
    if (!base && change.kind === 'delete') return undefined
    if (!base) throw new TaskGoneError(goneMessage)
    // The task may be the result of an earlier own change, on which this one was made.
    const version = port.getOwnVersion() === base.version ? base.version : change.from.version
    // That change may have been sent on top of somebody else's, which this version would overwrite.
    let fields = version === change.from.version ? [] : findConflictingFields(change, base)
    let theirs = base
    if (fields.length === 0) {
      try {
        return await port.request(change, version)
      } catch (error) {
        if (!(error instanceof ApiResponseError) || error.code !== 'version_mismatch') throw error
      }
      theirs = await port.refetch()
      fields = findConflictingFields(change, theirs)
    }
    if (fields.length === 0) {
      change = { ...change, from: { ...change.from, version: theirs.version } }
      continue
    }
    const chosen = await port.choose({ change, theirs, fields })
    if (!chosen) return undefined
    change = chosen
  }
}
