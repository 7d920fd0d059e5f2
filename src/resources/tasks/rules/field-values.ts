import { dayIn, isDay } from '#lib/days.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import { MAX_OBJECT_MEMBERS } from '../custom-data.ts'
import type { TaskFields } from '../fields.ts'

/** A change of a set: the whole set, or ids to add and to remove. */
export interface SetChange {
  whole?: readonly string[] | undefined
  add?: readonly string[] | undefined
  remove?: readonly string[] | undefined
}

/** The changed set in ascending order, and the path in the body of each new member. */
export interface ChangedSet {
  ids: string[]
  gained: { id: string; path: string }[]
}

/** Applies a change. Adding a member or removing a missing one changes nothing (docs/spec/api.md#task). */
export function applySetChange(
  name: string,
  before: readonly string[],
  { whole, add = [], remove = [] }: SetChange,
  maxCount: number,
  errors: FieldError[],
): ChangedSet {
  const present = new Set(before)
  const requested = whole ?? add
  const path = whole ? name : `add_${name}`
  const remaining = whole ? [] : before.filter((id) => !remove.includes(id))
  const ids = [...new Set([...remaining, ...requested])].toSorted()
  const gained = requested.flatMap((id, index) =>
    present.has(id) ? [] : [{ id, path: `${path}[${index}]` }],
  )
  // Restored blockers can make a set too large, which must not block changes of anything else.
  if (ids.length > maxCount && gained.length > 0)
    errors.push(fieldError(path, 'too_many', `must leave at most ${maxCount} entries`))
  return { ids, gained }
}

type TaskDates = Pick<TaskFields, 'start_date' | 'due_date' | 'due_at'>
type TaskDatesInput = { [F in keyof TaskDates]?: TaskDates[F] | undefined }

/**
 * Resolves start date, due date and due time in the time zone of the workspace (docs/spec/api.md#task). A
 * due time sets its day, a new day alone clears the time, and without a day there is no time.
 */
export function resolveDates(
  before: TaskDates,
  input: TaskDatesInput,
  timezone: string,
  errors: FieldError[],
): TaskDates {
  const { start_date = before.start_date } = input
  return { start_date, ...resolveDue(before, input, timezone, errors) }
}

function resolveDue(
  before: TaskDates,
  { due_date, due_at }: TaskDatesInput,
  timezone: string,
  errors: FieldError[],
) {
  // An unchanged time keeps its day, even if the time zone of the workspace has changed since.
  const isSameDay = due_date === undefined || due_date === before.due_date
  if (due_at && due_at === before.due_at && isSameDay) {
    return { due_date: before.due_date, due_at }
  }
  if (due_at) {
    const day = dayIn(timezone, due_at)
    if (!isDay(day))
      errors.push(fieldError('due_at', 'invalid_format', 'must be between the years 1970 and 9999'))
    if (due_date !== undefined && due_date !== day) {
      const message = `must be on the \`due_date\` in the time zone of the workspace (${timezone})`
      errors.push(fieldError('due_at', 'conflicting_fields', message))
    }
    return { due_date: day, due_at }
  }
  if (due_date === null) return { due_date: null, due_at: null }
  if (due_date === undefined) {
    return { due_date: before.due_date, due_at: due_at === null ? null : before.due_at }
  }
  const keepsTime = due_at === undefined && due_date === before.due_date
  return { due_date, due_at: keepsTime ? before.due_at : null }
}

const MAX_BYTES = 16 * 1024

/**
 * Merges an object member by member; null removes one (RFC 7396). Adds errors if it gets too large.
 */
export function mergeObject<V>(
  name: string,
  before: Record<string, V>,
  patch: Record<string, V | null> | undefined,
  errors: FieldError[],
): Record<string, V> {
  if (patch === undefined) return before
  const after = Object.entries({ ...before, ...patch }).filter(
    (entry): entry is [string, V] => entry[1] !== null,
  )
  const value = Object.fromEntries(after)
  if (after.length > MAX_OBJECT_MEMBERS) {
    errors.push(fieldError(name, 'too_many', `must have at most ${MAX_OBJECT_MEMBERS} members`))
  }
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES) {
    errors.push(fieldError(name, 'too_large', 'must be at most 16 KiB as JSON'))
  }
  return value
}
