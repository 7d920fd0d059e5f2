import type { Endpoint } from '#wire/endpoint.ts'
import type { EndpointAddress } from '../../lib/http/request-endpoint.ts'
import type { Comment, PendingComment } from '../resources/comments.ts'
import type { SavedView, SavedViewPatch } from '../resources/saved-views.ts'
import type { NewTag, Tag, TagPatch } from '../resources/tags.ts'
import type { LoggedTime, TimeEntry, TimeEntryPatch } from '../resources/time-entries.ts'
import type { RunningTimer, TimedTask } from '../resources/timer.ts'
import type { BulkOperation } from '../tasks/change-task.ts'
import type { CreateTaskBody, TaskWithPlaceholder } from '../tasks/create-task.ts'
import type { PendingBulkChange } from '../tasks/pending-bulk-change.ts'
import type { Task, TaskChange } from '../tasks/task-patch.ts'
import type { RevisedRecord } from './record-revision.ts'
import type { RecordEdit } from './send-record-edit.ts'

/** What a mutation of each kind consists of: JSON, apart from the file of an upload. */
export type StoredMutation =
  | { kind: 'change'; id: string; change: TaskChange }
  /**
   * `sent` has the operations of its one or two requests as soon as they are known, and `not_found`
   * the numbers that had no task then.
   */
  | (PendingBulkChange & {
      kind: 'bulk'
      sent: readonly (readonly BulkOperation[])[]
      not_found?: readonly number[]
    })
  | { kind: 'create'; body: CreateTaskBody; placeholder: Task }
  | { kind: 'create-many'; tasks: readonly TaskWithPlaceholder[]; attempt: number }
  | { kind: 'restore'; id: string; short_id: string }
  /** Takes back what the server has done for another mutation, of this key. */
  | ({ kind: 'undo'; of: string; operation_ids: readonly string[] } & ShownUndo)
  | { kind: 'comment'; comment: PendingComment }
  | StoredRecordEdit<'comment-edit', Comment, { body: string }>
  | { kind: 'deletion'; noun: DeletableNoun; id: string }
  | { kind: 'new-tag'; task_id: string; project_id: string; tag: NewTag }
  | {
      kind: 'request'
      address: EndpointAddress<Endpoint>
      sent: StoredRequest
      /** The first parts of the keys of the queries that show the record. */
      queries: readonly string[]
      label: string
    }
  /** `text` is what was typed. */
  | { kind: 'time-entry'; task_id: string; body: LoggedTime; text: string }
  | StoredRecordEdit<'time-entry-edit', TimeEntry, TimeEntryPatch>
  | StoredRecordEdit<'tag-edit', Tag, TagPatch>
  | StoredRecordEdit<'view-edit', SavedView, SavedViewPatch>
  | { kind: 'upload'; task_id: string; file: File }
  | { kind: 'timer-start'; task: TimedTask; before: RunningTimer | null }
  | { kind: 'timer-stop'; running: RunningTimer; ended_at: string }

/** What is shown of an undo until the server has replied. */
export interface ShownUndo {
  changes: readonly TaskChange[]
  /** What it takes back of tasks, which its own undo shows again. */
  undone: readonly TaskChange[]
  /** The former values of a record other than a task. */
  edit?: { base: RevisedRecord; patch: object }
}

/** A change of a record other than a task. */
export interface StoredRecordEdit<K extends string, R extends RevisedRecord, P extends Partial<R>>
  extends RecordEdit<R, P> {
  kind: K
  /** Describes the change, for messages. */
  label: string
  /** What was typed, if it must not be lost. */
  text?: string
  /** The record before both changes, if that of somebody else is `base` now. */
  mergeBase?: R
}

/** A change of a record other than a task, of whichever kind. */
export type AnyRecordEdit = Extract<StoredMutation, { base: RevisedRecord }>

/** What a request consists of besides its address. */
interface StoredRequest {
  params?: Record<string, string>
  body?: object
}

/** Records whose deletion outlives its page. */
export type DeletableNoun = 'comment' | 'time_entry' | 'attachment' | 'tag' | 'view' | 'template'

/** The changes of tasks of which a mutation consists. */
export function getTaskChanges(payload: StoredMutation): readonly TaskChange[] {
  if (payload.kind === 'change') return [payload.change]
  return payload.kind === 'bulk' || payload.kind === 'undo' ? payload.changes : []
}

/** The tasks that a mutation creates, as they are shown until the server has created them. */
export function getPlaceholders(payload: StoredMutation): readonly Task[] {
  if (payload.kind === 'create') return [payload.placeholder]
  return payload.kind === 'create-many' ? payload.tasks.map(({ placeholder }) => placeholder) : []
}

/** The projects whose tasks a mutation changes. */
export const listProjectIds = (payload: StoredMutation): readonly string[] =>
  payload.kind === 'bulk'
    ? [payload.project_id]
    : [...getTaskChanges(payload).map(({ from }) => from), ...getPlaceholders(payload)].map(
        ({ project_id }) => project_id,
      )

/** No two mutations that have one of these in common are sent at the same time. */
export const blockingKeysOf = ({ queueKey, payload }: BlockingMutation): readonly string[] => [
  queueKey,
  // A change of one task has its id as its queue key.
  ...getTaskChanges(payload).map(({ from }) => from.id),
  ...orderedIdsOf(payload).map((id) => `order ${id}`),
]

/**
 * Those of its keys that a mutation waits for. The creation of a task waits for nothing that names the task: if it
 * was undone and made again, that may be older, and waits for the creation.
 */
export const awaitedKeysOf = (one: BlockingMutation): readonly string[] =>
  getPlaceholders(one.payload).length > 0 ? [one.queueKey] : blockingKeysOf(one)

interface BlockingMutation {
  queueKey: string
  payload: StoredMutation
}

/** The stored mutation of a kind. */
export type MutationOfKind<K extends StoredMutation['kind']> = Extract<StoredMutation, { kind: K }>

/**
 * The tasks on which the effect of a mutation depends. Two moves beside the same task give another
 * order if the server gets them in the other order, and what names the temporary id of a task has
 * to wait for its creation.
 */
export function orderedIdsOf(payload: StoredMutation): readonly string[] {
  if (payload.kind === 'timer-start') return [payload.task.id]
  if (payload.kind === 'upload') return payload.task_id.startsWith('tsk_') ? [] : [payload.task_id]
  if (payload.kind === 'bulk')
    return payload.changes.map(({ from }) => from.id).filter((id) => !id.startsWith('tsk_'))
  if (payload.kind !== 'change') return getPlaceholders(payload).map(({ id }) => id)
  const { kind, patch } = payload.change
  const { before_id, after_id, parent_id } = patch
  const neighbors = [before_id, after_id, parent_id].filter((id) => id !== undefined)
  if (kind !== 'delete' && neighbors.length === 0) return []
  return [payload.id, ...neighbors.filter((id) => id !== null)]
}
