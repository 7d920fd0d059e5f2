import type { Changes } from './tx.ts'

/** The longest side of a description that an event tells whole, in characters (contract 8.1). */
const LONGEST_DESCRIPTION = 2_048

/** What moves by itself, or with other records, and so is no change of the record. */
const NEVER_LISTED = new Set([
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
 * The `changes` of an event: every field that differs between the record before and after an
 * operation, both as they are shown (contract 8.1). Empty when nothing changed: then there is no event.
 */
export function changesBetween(before: object, after: object): Changes {
  const was: Record<string, unknown> = { ...before }
  const changes: Changes = {}
  for (const [field, to] of Object.entries(after)) {
    const from = was[field]
    if (NEVER_LISTED.has(field) || same(from, to)) continue
    changes[field] = field === 'description' ? cut(from, to) : { from, to }
  }
  return changes
}

/** Whether two values of JSON are equal; the order of members does not matter. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))]
  return (
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && same(value, right.get(name)))
  )
}

function cut(from: unknown, to: unknown): Changes[string] {
  const [short, new_short] = [fits(from), fits(to)]
  const sides = { from: short ? from : null, to: new_short ? to : null }
  return short && new_short ? sides : { ...sides, truncated: true }
}

const fits = (side: unknown): boolean =>
  typeof side !== 'string' ||
  side.length <= LONGEST_DESCRIPTION ||
  (side.length <= 2 * LONGEST_DESCRIPTION && [...side].length <= LONGEST_DESCRIPTION)
