import type { EventKind } from '#wire/events.ts'
import type { Notice, Noun } from '#wire/notice.ts'
import type { Event } from './tx.ts'

/** What an operation says of a record that it changed, where no event tells of it. */
export interface Note {
  noun: Noun
  id: string
  op: Notice['op']
  number?: number
  /** The project in which alone it is seen; absent: it is of the workspace. */
  project_id?: string
  task_id?: string
  version?: number
  revision?: string
  /** Whom it concerns beside owners and admins: a person, or (empty) nobody. Absent: everybody. */
  only_for?: string
}

/** What a transaction has noted, in order: notes, and events, which tell enough by themselves. */
export type Noted = (Note & { operation_id: string }) | Event

/** A notice that has no number yet, and whom it concerns. */
export interface Made {
  notice: Omit<Notice, 'seq'>
  only_for: string | undefined
}

/** The notices of a transaction: of each operation at most one about the same record. */
export function noticesOf(noted: readonly Noted[], actor_id: string | null): Made[] {
  const made = new Map<string, Made>()
  for (const one of noted) {
    for (const { only_for, ...note } of 'kind' in one ? notesOf(one) : [one]) {
      const { noun, id, op, project_id = '' } = note
      const key = `${one.operation_id} ${noun} ${id} ${project_id}`
      const before = made.get(key)?.notice
      const notice = {
        ...before,
        ...note,
        op: before?.op === 'create' && op === 'update' ? ('create' as const) : op,
        operation_id: one.operation_id,
        actor_id,
      }
      // What is told last of a record stands where the last change was.
      made.delete(key)
      made.set(key, { notice, only_for })
    }
  }
  return [...made.values()]
}

/** What kind of record an event is about, and what has become of it. */
const EVENTS: Record<EventKind, [Noun, Notice['op']]> = {
  'task.created': ['task', 'create'],
  'task.updated': ['task', 'update'],
  'task.completed': ['task', 'update'],
  'task.assigned': ['task', 'update'],
  'task.deleted': ['task', 'delete'],
  'comment.created': ['comment', 'create'],
  'attachment.created': ['attachment', 'create'],
  'project.updated': ['project', 'update'],
  'member.added': ['member', 'create'],
  'member.removed': ['member', 'delete'],
}

interface Told {
  id: string
  number?: number
  version?: number
  updated_at?: string
  task_id?: string
}

/** A task that moved has left its former project: there it is told as if it were deleted. */
function notesOf({ kind, record, project_id, former_project_id }: Event): Note[] {
  const [noun, op] = EVENTS[kind]
  const { id, number, version, updated_at, task_id } = JSON.parse(record) as Told
  const note: Note = {
    ...{ noun, id, op },
    ...(number !== undefined && { number }),
    ...(project_id !== null && { project_id }),
    ...(task_id !== undefined && { task_id }),
    ...(version !== undefined && { version }),
    ...(version === undefined && updated_at !== undefined && { revision: updated_at }),
  }
  if (typeof former_project_id !== 'string') return [note]
  const { number: _, ...left } = note
  return [{ ...left, op: 'delete', project_id: former_project_id }, note]
}
