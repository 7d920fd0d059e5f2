import { addDaysToDate, type PlainDate } from '../../../lib/dates/plain-date.ts'
import type { DateSpan } from './task-spans.ts'

/** The id of days by which start and due date move. */
export interface SpanShift {
  start?: number
  due?: number
}

/** Shifts a span. Neither end passes the other, and a missing end starts at the other one. */
export function shiftSpan({ start, due }: DateSpan, by: SpanShift): DateSpan {
  const movesBoth = by.start !== undefined && by.start === by.due
  const next = {
    start: addDaysOrNull(start ?? (movesBoth ? null : due), by.start),
    due: addDaysOrNull(due ?? (movesBoth ? null : start), by.due),
  }
  if (by.start === undefined) next.start = start
  if (by.due === undefined) next.due = due
  if (next.start && next.due && next.start > next.due) {
    if (by.due === undefined) next.start = next.due
    else next.due = next.start
  }
  return next
}

const addDaysOrNull = (day: PlainDate | null, by = 0) =>
  day === null ? null : addDaysToDate(day, by)

/** Makes a span valid: the end that the user chose stays, and the other one moves if necessary. */
export function clampSpan({ start, due }: DateSpan, chosen: 'start' | 'due'): DateSpan {
  if (!start || !due || start <= due) return { start, due }
  return chosen === 'start' ? { start, due: start } : { start: due, due }
}
