import { ApiResponseError } from '../../lib/http/problem.ts'
import { findConflictingFields } from './field-conflicts.ts'
import { TaskGoneError } from './task-gone-error.ts'
import { getPatchedFields, type Task, type TaskChange, type TaskConflict } from './task-patch.ts'

/** The page and the server, as sending a change of a task sees them. */
export interface TaskChangePort {
  /** Whether an earlier attempt may have reached the server. */
  maybeSent: boolean
  /** The task as the page has it from the server; undefined if it was deleted. */
  getServerTask: () => Task | undefined
  /** Applies the change to this version, or rejects with 412. */
  request: (change: TaskChange, version: number) => Promise<void>
  /** Reads the task anew and shows it. */
  refetch: () => Promise<Task>
  /** Replaces the change; resolves once it is stored. */
  revise: (change: TaskChange) => Promise<void>
  /** Lets the person choose; resolves with their change, stored, or undefined if they drop it. */
  choose: (conflict: TaskConflict) => Promise<TaskChange | undefined>
}

/** A version that no task has: the server applies nothing to it, but repeats a reply that was lost. */
const NO_VERSION = 0

/**
 * Sends a change, if each field that it sets has the value that the person saw, or the wanted one;
 * else after the person has chosen. What others have set in other fields stays. Returns whether it
 * was sent, and not dropped.
 */
export async function sendTaskChange(
  port: TaskChangePort,
  made: TaskChange,
  goneMessage: string,
): Promise<boolean> {
  let change = made
  let { maybeSent } = port
  let isOutdated = false
  for (;;) {
    let base = port.getServerTask()
    if (!base && change.kind === 'delete') return true
    if (!base) throw new TaskGoneError(goneMessage)
    if (isOutdated || !hasFields(base, change)) base = await port.refetch()
    isOutdated = false
    const complete = withDescriptionBelow(change, base)
    if (complete !== change) await port.revise(complete)
    change = complete
    const fields = findConflictingFields(change, base)
    // Others may have set the fields after the server had applied the change.
    if (fields.length === 0 || maybeSent) {
      try {
        await port.request(change, fields.length === 0 ? base.version : NO_VERSION)
        return true
      } catch (error) {
        if (!(error instanceof ApiResponseError) || error.code !== 'version_mismatch') throw error
        isOutdated = true
        maybeSent = false
      }
    } else {
      const chosen = await port.choose({ change, theirs: base, fields })
      if (!chosen) return false
      change = chosen
    }
  }
}

/** What a row of a list puts on top of a description that it lacks stands there before that description. */
function withDescriptionBelow(change: TaskChange, { description }: Task): TaskChange {
  const { patch, from } = change
  if (!patch.description || from.description !== undefined || !description) return change
  const all = `${patch.description}\n\n${description}`
  return { ...change, patch: { ...patch, description: all }, from: { ...from, description } }
}

/** Rows of lists lack some fields, of which nobody knows then whether somebody else has set them. */
const hasFields = (task: Task, { patch }: TaskChange): boolean =>
  getPatchedFields(patch).every((name) => task[name] !== undefined)
