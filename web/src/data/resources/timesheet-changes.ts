import type { TimeEntry } from './time-entries.ts'

/** A finished time entry of a cell: a record, or one that waits to be sent, with its mutation. */
export interface CellEntry {
  task_id: string
  /** Unknown until an entry is sent. */
  project_id?: string
  spent_on: string
  duration_seconds: number
  of: { record: TimeEntry } | { key: string }
}

/** What makes the entries of a cell add up to another time. */
export type CellChange =
  | { kind: 'log'; seconds: number }
  | { kind: 'edit'; record: TimeEntry; seconds: number }
  | { kind: 'delete'; record: TimeEntry }
  | { kind: 'cancel'; key: string }

/** The time of some entries in seconds. */
export const sumSeconds = (entries: readonly Pick<CellEntry, 'duration_seconds'>[]): number =>
  entries.reduce((sum, { duration_seconds }) => sum + duration_seconds, 0)

/**
 * The changes after which a cell has the given time. `entries` are those of its task and day, the oldest
 * first. Notes and times of day are kept as far as possible: more time is logged beside what is there, unless
 * there is only one entry without times of day, and less time is taken from the newest entries.
 */
export function planCellChanges(entries: readonly CellEntry[], seconds: number): CellChange[] {
  const difference = seconds - sumSeconds(entries)
  if (difference === 0) return []
  const [first] = entries
  if (difference < 0) return takeFromNewest(entries, -difference)
  const only = entries.length === 1 ? first : undefined
  if (only && 'key' in only.of) return replaceUnsent(only.of.key, seconds)
  // The end of an entry with times of day would move, maybe into the future, which the server refuses.
  if (only && 'record' in only.of && only.of.record.started_at === null)
    return [{ kind: 'edit', record: only.of.record, seconds }]
  return [{ kind: 'log', seconds: difference }]
}

function takeFromNewest(entries: readonly CellEntry[], seconds: number): CellChange[] {
  const changes: CellChange[] = []
  let left = seconds
  for (const { duration_seconds, of } of entries.toReversed()) {
    if (left === 0) break
    const rest = Math.max(duration_seconds - left, 0)
    left -= duration_seconds - rest
    if ('key' in of) changes.push(...replaceUnsent(of.key, rest))
    else if (rest > 0) changes.push({ kind: 'edit', record: of.record, seconds: rest })
    else changes.push({ kind: 'delete', record: of.record })
  }
  return changes
}

const replaceUnsent = (key: string, seconds: number): CellChange[] => [
  { kind: 'cancel', key },
  ...(seconds > 0 ? [{ kind: 'log', seconds } as const] : []),
]
