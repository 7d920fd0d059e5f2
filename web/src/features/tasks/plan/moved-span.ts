import { addDays, type PlainDate } from '../../../lib/day.ts'
import type { Span } from './spans.ts'

/** Days by which start and due move. */
export interface Move {
  start?: number
  due?: number
}

/** The span after a move: neither end passes the other, and an end that there was not grows out of the other. */
export function movedSpan({ start, due }: Span, by: Move): Span {
  const both = by.start !== undefined && by.start === by.due
  const next = {
    start: shift(start ?? (both ? null : due), by.start),
    due: shift(due ?? (both ? null : start), by.due),
  }
  if (by.start === undefined) next.start = start
  if (by.due === undefined) next.due = due
  if (next.start && next.due && next.start > next.due) {
    if (by.due === undefined) next.start = next.due
    else next.due = next.start
  }
  return next
}

const shift = (day: PlainDate | null, by = 0) => (day === null ? null : addDays(day, by))

/** The end that was chosen stays; the other one gives way. */
export function settled({ start, due }: Span, chosen: 'start' | 'due'): Span {
  if (!start || !due || start <= due) return { start, due }
  return chosen === 'start' ? { start, due: start } : { start: due, due }
}
