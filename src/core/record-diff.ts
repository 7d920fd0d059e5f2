import type { FieldChanges } from './transaction.ts'

/** Events omit a side of a description that has more characters than this (docs/spec/api.md#event-envelope). */
const MAX_DESCRIPTION_LENGTH = 2_048

/** Derived fields, which change by themselves or with other records. */
const IGNORED_FIELDS = new Set([
  'updated_at',
  'version',
  'url',
  'time_spent_seconds',
  'blocking_ids',
  'task_counts',
  'comment_count',
  'attachment_count',
  'subtask_count',
  'completed_subtask_count',
])

/**
 * Computes the `changes` of an event: every field that differs between the JSON of the record
 * before and after an operation (docs/spec/api.md#event-envelope). An operation without changes emits no event.
 */
export function diffRecords(before: object, after: object): FieldChanges {
  const previous: Record<string, unknown> = { ...before }
  const changes: FieldChanges = {}
  for (const [field, to] of Object.entries(after)) {
    const from = previous[field]
    if (IGNORED_FIELDS.has(field) || isJsonEqual(from, to)) continue
    changes[field] = field === 'description' ? truncateSides(from, to) : { from, to }
  }
  return changes
}

/** Compares two JSON values; the order of object members does not matter. */
function isJsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))]
  return (
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && isJsonEqual(value, right.get(name)))
  )
}

function truncateSides(from: unknown, to: unknown): FieldChanges[string] {
  const [keepsFrom, keepsTo] = [isShortEnough(from), isShortEnough(to)]
  const sides = { from: keepsFrom ? from : null, to: keepsTo ? to : null }
  return keepsFrom && keepsTo ? sides : { ...sides, truncated: true }
}

const isShortEnough = (side: unknown): boolean =>
  typeof side !== 'string' ||
  side.length <= MAX_DESCRIPTION_LENGTH ||
  (side.length <= 2 * MAX_DESCRIPTION_LENGTH && [...side].length <= MAX_DESCRIPTION_LENGTH)
