import { toJson } from '#lib/json.ts'
import type { EventKind } from '#wire/event-kinds.ts'
import type { RecordChange, RecordNoun } from '#wire/record-change.ts'
import type { PendingEvent } from '../transaction.ts'

/** A change that an operation reports itself because it emits no event for it. */
export interface ChangeNote {
  noun: RecordNoun
  id: string
  op: RecordChange['op']
  number?: number
  /** The project whose viewers see it; absent: it concerns the whole workspace. */
  project_id?: string
  task_id?: string
  version?: number
  revision?: string
  /** The user who sees it beside owners and admins, or `''` for nobody else. Absent: everybody. */
  only_for?: string
}

/** The changes of a transaction in order: reported ones, and events, from which changes follow. */
export type PendingChange = (ChangeNote & { operation_id: string }) | PendingEvent

/**
 * A change without a number, and its audience. Processes send it to each other as JSON, also while
 * two releases run side by side: do not rename its keys.
 */
export interface UnnumberedChange {
  notice: Omit<RecordChange, 'seq'>
  only_for: string | undefined
}

/** The changes of a transaction, merged: at most one for each operation and record. */
export function toChanges(
  pending: readonly PendingChange[],
  actor_id: string | null,
): UnnumberedChange[] {
  const changes = new Map<string, UnnumberedChange>()
  for (const change of pending) {
    for (const { only_for, ...note } of 'kind' in change ? notesOfEvent(change) : [change]) {
      const { noun, id, op, project_id = '' } = note
      const key = `${change.operation_id} ${noun} ${id} ${project_id}`
      const before = changes.get(key)?.notice
      const notice = {
        ...before,
        ...note,
        op: before?.op === 'create' && op === 'update' ? ('create' as const) : op,
        operation_id: change.operation_id,
        actor_id,
      }
      // Deleting first moves the merged change to the position of the last one.
      changes.delete(key)
      changes.set(key, { notice, only_for })
    }
  }
  return [...changes.values()]
}

/** How many changes are converted or delivered in one turn of the event loop. */
export const CHANGES_PER_TURN = 1_000

/**
 * Splits the changes of a transaction into parts of some `CHANGES_PER_TURN`, between operations: only
 * changes of one operation are merged. A bulk request can have a hundred thousand.
 */
export function* splitByOperation(
  pending: readonly PendingChange[],
): Generator<readonly PendingChange[]> {
  let start = 0
  for (let end = 1; end < pending.length; end += 1) {
    const isNextOperation = pending[end]?.operation_id !== pending[end - 1]?.operation_id
    if (end - start < CHANGES_PER_TURN || !isNextOperation) continue
    yield pending.slice(start, end)
    start = end
  }
  if (start < pending.length) yield start === 0 ? pending : pending.slice(start)
}

/** The record and the operation that an event stands for. */
const CHANGE_BY_EVENT: Record<EventKind, [RecordNoun, RecordChange['op']]> = {
  'task.created': ['task', 'create'],
  'task.updated': ['task', 'update'],
  'task.completed': ['task', 'update'],
  'task.assigned': ['task', 'update'],
  'task.deleted': ['task', 'delete'],
  'comment.created': ['comment', 'create'],
  'comment.updated': ['comment', 'update'],
  'comment.deleted': ['comment', 'delete'],
  'attachment.created': ['attachment', 'create'],
  'attachment.deleted': ['attachment', 'delete'],
  'time_entry.created': ['time_entry', 'create'],
  'time_entry.updated': ['time_entry', 'update'],
  'time_entry.deleted': ['time_entry', 'delete'],
  'tag.created': ['tag', 'create'],
  'tag.updated': ['tag', 'update'],
  'tag.deleted': ['tag', 'delete'],
  'project.created': ['project', 'create'],
  'project.updated': ['project', 'update'],
  'member.added': ['member', 'create'],
  'member.updated': ['member', 'update'],
  'member.removed': ['member', 'delete'],
}

/** The event with only those fields of its record from which its change follows. */
export function withoutContents(event: PendingEvent): PendingEvent {
  const { id, number, version, updated_at, task_id } = parseRecord(event)
  return { ...event, record: toJson({ id, number, version, updated_at, task_id }) }
}

const parseRecord = ({ record }: PendingEvent): EventRecordFields => JSON.parse(record)

interface EventRecordFields {
  id: string
  number?: number
  version?: number
  updated_at?: string
  task_id?: string
}

/**
 * A moved task also counts as deleted in its former project, whose viewers may not see the new one.
 */
function notesOfEvent(event: PendingEvent): ChangeNote[] {
  const { kind, project_id, former_project_id } = event
  const [noun, op] = CHANGE_BY_EVENT[kind]
  const { id, number, version, updated_at, task_id } = parseRecord(event)
  const hasRevision = version === undefined && updated_at !== undefined && op !== 'delete'
  const note: ChangeNote = {
    noun,
    id,
    op,
    ...(number !== undefined && { number }),
    ...(project_id !== null && { project_id }),
    ...(task_id !== undefined && { task_id }),
    ...(version !== undefined && { version }),
    ...(hasRevision && { revision: updated_at }),
  }
  if (typeof former_project_id !== 'string') return [note]
  const { number: _, ...withoutNumber } = note
  return [{ ...withoutNumber, op: 'delete', project_id: former_project_id }, note]
}
