import { dayIn, isDay } from '#lib/days.ts'
import { type Fault, fault } from '#wire/fault.ts'
import type { Core } from '../core.ts'

type Dates = Pick<Core, 'start_date' | 'due_date' | 'due_at'>
type Wished = { [F in keyof Dates]?: Dates[F] | undefined }

/**
 * Start, due day and due time after a request, in the workspace's time zone (contract 6.2): a due time
 * brings its day with it, a new day alone takes the time away, and no day means no time.
 */
export function datesOf(before: Dates, wished: Wished, timezone: string, faults: Fault[]): Dates {
  const due = dueOf(before, wished, timezone, faults)
  const { start_date = before.start_date } = wished
  if (start_date !== null && due.due_date !== null && start_date > due.due_date) {
    const field = wished.start_date ? 'start_date' : wished.due_date ? 'due_date' : 'due_at'
    const why =
      field === 'start_date' ? 'must not be after due_date' : 'must not be before start_date'
    faults.push(fault(field, 'invalid_range', why))
  }
  return { start_date, ...due }
}

function dueOf(before: Dates, { due_date, due_at }: Wished, timezone: string, faults: Fault[]) {
  // The day of a time that is there already stays, though the workspace may have moved since.
  const sameDay = due_date === undefined || due_date === before.due_date
  if (due_at && due_at === before.due_at && sameDay) {
    return { due_date: before.due_date, due_at }
  }
  if (due_at) {
    const day = dayIn(timezone, due_at)
    if (!isDay(day))
      faults.push(fault('due_at', 'invalid_format', 'must fall between 1970 and 9999'))
    if (due_date !== undefined && due_date !== day) {
      const why = `must fall on due_date in the time zone of the workspace (${timezone})`
      faults.push(fault('due_at', 'conflicting_fields', why))
    }
    return { due_date: day, due_at }
  }
  if (due_date === null) return { due_date: null, due_at: null }
  if (due_date === undefined) {
    return { due_date: before.due_date, due_at: due_at === null ? null : before.due_at }
  }
  const keeps = due_at === undefined && due_date === before.due_date
  return { due_date, due_at: keeps ? before.due_at : null }
}
