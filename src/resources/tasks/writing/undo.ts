import { assertNoFieldErrors } from '#core/api-error.ts'
import { isJsonEqual } from '#core/record-diff.ts'
import type { FieldChanges, ReadTx, WriteTx } from '#core/transaction.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import type { FieldError } from '#wire/field-error.ts'
import type { Task } from '../fields.ts'
import { projectContextOf, type TaskToWrite } from '../load.ts'
import { takenPositions } from '../statements/related.ts'
import { diffTask, resolveTaskInput, saveTaskChange, type TaskInput } from './change-task.ts'
import type { UndoneMove } from './give-back.ts'
import { moveTaskToProject } from './move-task.ts'
import { emitTaskChanged } from './task-events.ts'

/** The fields of a task that an undo has taken back, and those that somebody has changed since. */
export interface UndoneFields {
  undone: string[]
  left: string[]
}

/** What follows from the status or the project of a task. */
const FOLLOWING: ReadonlySet<string> = new Set([
  'status_category',
  'completed_at',
  'completed_by_id',
  'canceled_at',
  'number',
  'short_id',
  'project_id',
  'position',
] satisfies (keyof Task)[])
/** What a move gives back by the rules of its own (`createGiveBack`). */
const MOVED: ReadonlySet<string> = new Set(['status', 'tag_ids', 'assignee_ids', 'parent_id'])

/**
 * Takes back what an operation has changed in a task, by what its event says: each field that is still as the
 * operation left it, and of sets and objects each element. `move` has the changes of all tasks that the operation
 * moved; of those that were taken along, the topmost task takes care. It creates no next occurrence: that is another
 * record of the operation.
 */
export async function undoTaskChanges(
  tx: WriteTx,
  task: TaskToWrite,
  changes: FieldChanges,
  move: UndoneMove,
): Promise<UndoneFields> {
  const { record } = task
  const left: string[] = []
  const before: Record<string, unknown> = {}
  const isMoved = 'project_id' in changes
  const isMovedSince = isMoved && record.project_id !== changes.project_id?.to
  // Completed again, a task would lose the recurrence that somebody has given it since.
  const endsSeries =
    changes.status_category?.from === 'completed' &&
    record.recurrence !== null &&
    !('recurrence' in changes)
  if (endsSeries && isMoved && !isMovedSince) return { undone: [], left: ['status'] }
  for (const [field, { from, to }] of Object.entries(changes)) {
    if (FOLLOWING.has(field) || (isMoved && !isMovedSince && MOVED.has(field))) continue
    const present: unknown = record[field as keyof Task]
    if (isIds(from) && isIds(to) && isIds(present)) {
      before[field] = withoutChange(present, from, to)
    } else if (field === 'custom_fields' || field === 'metadata') {
      before[field] = membersBefore(field, Object(present), Object(from), Object(to), left)
    } else if (isJsonEqual(present, to) && !(field === 'status' && endsSeries)) before[field] = from
    else left.push(field)
  }
  if (isMovedSince) left.push('project_id')
  // A day and the time on it are changed as one: the time alone says which day it is, and a day alone clears the time.
  const isTimeChanged = !isJsonEqual(record.due_at, changes.due_at ? changes.due_at.to : null)
  if (typeof before.due_at === 'string') delete before.due_date
  else if ('due_date' in before && isTimeChanged) {
    delete before.due_date
    left.push('due_date')
  }
  // The event log holds values of these very fields.
  const input = before as TaskInput
  if (isMoved && !isMovedSince) {
    const project_id = changes.project_id?.from
    if (typeof project_id === 'string') await moveTaskToProject(tx, task, project_id, input, move)
    return { undone: Object.keys(changes), left }
  }
  const undone = await writeFieldsBefore(tx, task, input, changes, left)
  return { undone, left }
}

/**
 * Writes fields as they were, but those whose value of then is none any more, such as a deleted tag: they are left.
 * Returns the names of those that differ.
 */
async function writeFieldsBefore(
  tx: WriteTx,
  task: TaskToWrite,
  input: TaskInput,
  { position, ...changes }: FieldChanges,
  left: string[],
): Promise<string[]> {
  const { record } = task
  const context = projectContextOf(task)
  assertNotArchived(task)
  const { possible, resolved } = await resolveWhatIsPossible(tx, task, input, left)
  const { fields, assertNoConflicts } = resolved
  await assertNoConflicts()
  const rank = position?.from
  const isFree =
    typeof rank === 'string' &&
    record.position === position?.to &&
    (await isPositionFree(tx, record.project_id, rank))
  // Where the status changes the place, nobody has chosen it.
  if (typeof rank === 'string' && !isFree && !('status' in changes)) left.push('position')
  const change = diffTask(tx, record, {
    fields,
    statuses: context.statuses,
    placement: isFree ? { position: rank } : undefined,
    entered: possible.status === undefined ? {} : statusBefore(changes),
  })
  const saved = await saveTaskChange(tx, change, context)
  if (saved) await emitTaskChanged(tx, change, saved.json)
  return Object.keys(change.changes)
}

/** Resolves fields without the values, and elements of sets, that are refused by now. */
async function resolveWhatIsPossible(
  tx: WriteTx,
  task: TaskToWrite,
  input: TaskInput,
  left: string[],
) {
  const { record } = task
  let possible: Record<string, unknown> = { ...input }
  for (;;) {
    const errors: FieldError[] = []
    const context = projectContextOf(task)
    // They are still fields of a task with values that the event log holds.
    const next = possible as TaskInput
    const resolved = await resolveTaskInput(tx, record.id, context, record, next, errors)
    if (errors.length === 0) return { possible: next, resolved }
    const refused = Map.groupBy(errors, ({ field }) => /^\w+/.exec(field)?.[0] ?? field)
    if (![...refused.keys()].some((name) => name in possible)) assertNoFieldErrors(errors)
    const kept = Object.entries(possible).flatMap(([name, value]) => {
      const faults = refused.get(name)
      if (!faults) return [[name, value] as const]
      left.push(name)
      const places = faults.map(({ field }) => /\[(\d+)\]$/.exec(field)?.[1])
      if (!Array.isArray(value) || places.includes(undefined)) return []
      return [[name, value.filter((_, at) => !places.includes(String(at)))] as const]
    })
    possible = Object.fromEntries(kept)
  }
}

/** When a task had entered the category of its former status, and by whom. */
function statusBefore(changes: FieldChanges): Partial<Task> {
  const names = ['completed_at', 'completed_by_id', 'canceled_at'] as const
  return Object.fromEntries(
    names.flatMap((name) => (changes[name] ? [[name, changes[name].from]] : [])),
  )
}

async function isPositionFree(tx: ReadTx, project_id: string, position: string): Promise<boolean> {
  return (await tx.all(takenPositions, { project_id, positions: [position] })).length === 0
}

const isIds = (value: unknown): value is string[] => Array.isArray(value)

/** A set without what a change added, and with what it removed. */
function withoutChange(present: string[], from: string[], to: string[]): string[] {
  const added = new Set(to).difference(new Set(from))
  const removed = new Set(from).difference(new Set(to))
  return [...new Set(present).difference(added).union(removed)].toSorted()
}

type Members = Readonly<Record<string, unknown>>

/** The members of an object that a change gave another value and that still have it, as they were; null: none. */
function membersBefore(
  field: string,
  present: Members,
  from: Members,
  to: Members,
  left: string[],
) {
  const members: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (isJsonEqual(from[name], to[name])) continue
    if (isJsonEqual(present[name], to[name])) members[name] = from[name] ?? null
    else left.push(`${field}.${name}`)
  }
  return members
}
