import type { completeTask, deleteTask, updateTask } from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { showToast } from '../app/toasts.ts'
import { withdrawMessage } from '../app/undo.ts'
import { queryClient } from '../cache/query-client.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { bootState } from '../session/boot.ts'
import { findConflictingFields } from './field-conflicts.ts'
import { mergeVersions } from './merge-versions.ts'
import { omitUnchanged, resolveParentId, resolvePatchIds } from './resolve-task-ids.ts'
import { takeChangeReply, takeDeletion } from './settle-changes.ts'
import { waitForChoice, waitUntilCreated } from './task-conflicts.ts'
import {
  getPatchedFields,
  getPatchText,
  type Task,
  type TaskChange,
  type TaskConflict,
} from './task-patch.ts'
import { fetchTask, readServerTask, TaskGoneError } from './task-queries.ts'
import { taskReplica } from './task-replica.ts'
import { getServerTask, isTempId } from './task-store.ts'
import { fetchTrashedTask } from './trashed-task.ts'

/** A change of a task, which is merged with those of others. */
export const taskChangeKind: MutationKind<MutationOfKind<'change'>> = {
  async send(payload, attempt) {
    const id = await waitUntilCreated(payload.id, attempt)
    const port = {
      maybeSent: attempt.maybeSent,
      readTask: async () => (isTempId(id) ? undefined : await readServerTask(id)),
      explainAbsence: () => explainAbsence(payload.change.from, id),
      request: (change: TaskChange, version: number) => {
        attempt.assertRecent()
        return requestChange(id, change, version)
      },
      refetch: () => fetchTask(id),
      revise: (change: TaskChange) => attempt.revise({ ...payload, id, change }),
      choose: async (conflict: Parameters<typeof waitForChoice>[1]) => {
        const choice = waitForChoice(id, conflict)
        await attempt.hold(choice)
        const change = await choice
        if (change && change !== conflict.change) await port.revise(change)
        return change
      },
    }
    const isSent = await sendTaskChange(port, payload.change)
    if (!isSent) mutationLog.abandon(attempt.key)
    return []
  },
  revert({ change }, error) {
    withdrawMessage(change.key)
    if (error instanceof TaskGoneError) {
      const text = outcomeMessages.refused(change.from.short_id, error.message)
      showToast({ text, tone: 'trouble' })
    } else showRejection(change.from, error)
  },
  textOf: ({ change: { patch } }) => getPatchText(patch),
  resolveTempId(payload, created) {
    const { tempId, id } = created
    const patch = resolvePatchIds(payload.change.patch, (one) => (one === tempId ? id : one))
    const from = resolveParentId(payload.change.from, created)
    const change = { ...payload.change, patch, from }
    if (payload.id !== tempId) return omitUnchanged({ ...payload, change }, payload)
    const { short_id, number } = getServerTask(id) ?? from
    return { ...payload, id, change: { ...change, from: { ...from, id, short_id, number } } }
  },
}

/** Shows why a task was not changed. */
export function showRejection(task: Pick<Task, 'id' | 'short_id'>, error: unknown): void {
  if (!(error instanceof ApiResponseError)) return
  // It is removed if it is gone; since the reply, somebody may have restored it.
  if (error.status === 404) void taskReplica.read([task.id])
  showToast({
    text: outcomeMessages.refused(task.short_id, error.message),
    tone: 'trouble',
    error,
  })
}

/** Why the server has no such task for this person, who has seen it before. */
async function explainAbsence({ project_id }: Task, id: string): Promise<string> {
  const projects = bootState.get()?.projects ?? []
  if (!projects.some((project) => project.id === project_id)) return outcomeMessages.projectGone
  const isDeleted = isTempId(id) || (await fetchTrashedTask(id)) !== undefined
  return isDeleted ? outcomeMessages.deleted : outcomeMessages.movedOutOfSight
}

/** Sends a change and takes the resulting task, which a deletion has not. */
async function requestChange(id: string, change: TaskChange, version: number): Promise<void> {
  const { kind, patch, key } = change
  const options = { idempotencyKey: key, ifMatch: version }
  const params = { id }
  const reply = await (kind === 'delete'
    ? requestEndpointForResult<typeof deleteTask>('DELETE /api/v1/tasks/:id', { params }, options)
    : kind === 'complete'
      ? requestEndpointForResult<typeof completeTask>(
          'POST /api/v1/tasks/:id/complete',
          { params, body: {} },
          options,
        )
      : requestEndpointForResult<typeof updateTask>(
          'PATCH /api/v1/tasks/:id',
          { params, body: patch },
          options,
        ))
  const { changeNumber } = reply
  // The server repeats an earlier reply, since which others may have changed the task.
  if (changeNumber === undefined) await taskReplica.read([id])
  const task = reply.body as Task | undefined
  if (task) takeChangeReply(change, { task, changeNumber })
  else takeDeletion(id, changeNumber)
  void queryClient.invalidateQueries({ queryKey: ['activity', id] })
}

/** The page and the server, as sending a change of a task sees them. */
interface TaskChangePort {
  /** Whether an earlier attempt may have reached the server. */
  maybeSent: boolean
  /** The task as the page has it from the server, or reads it; undefined if the server has none. */
  readTask: () => Promise<Task | undefined>
  /** Why the server has no such task for this person. */
  explainAbsence: () => Promise<string>
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
async function sendTaskChange(port: TaskChangePort, made: TaskChange): Promise<boolean> {
  let change = made
  let { maybeSent } = port
  let isOutdated = false
  let isMerged = false
  for (;;) {
    let base = await port.readTask()
    if (!base && change.kind === 'delete') return true
    if (!base) throw new TaskGoneError(await port.explainAbsence())
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
        if (isMerged) showToast({ text: mutationMessages.merged(base.short_id) })
        return true
      } catch (error) {
        if (!(error instanceof ApiResponseError) || error.code !== 'version_mismatch') throw error
        isOutdated = true
        maybeSent = false
      }
    } else {
      const merged = await mergeDescriptions(change, base, fields)
      if (merged) await port.revise(merged)
      const chosen = merged ?? (await port.choose({ change, theirs: base, fields }))
      if (!chosen) return false
      isMerged = merged !== undefined
      change = chosen
    }
  }
}

/** The change with both texts of the description, if others have changed other lines of it. */
async function mergeDescriptions(
  change: TaskChange,
  theirs: Task,
  fields: readonly (keyof Task)[],
): Promise<TaskChange | undefined> {
  const { patch, from } = change
  if (fields.join() !== 'description' || !patch.description || !theirs.description) return
  const description = await mergeVersions(
    from.description ?? '',
    patch.description,
    theirs.description,
  )
  if (description === undefined) return
  return { ...change, patch: { ...patch, description }, from: { ...from, ...theirs } }
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
