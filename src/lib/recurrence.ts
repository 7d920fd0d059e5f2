import { addDays } from './days.ts'
import { firstOccurrence } from './recurrence-days.ts'
import { parseRecurrenceRule } from './recurrence-rule.ts'

/** The days from which the next one is computed; `basis` selects the start of the rule. */
export type RecurrenceAnchor = { basis: 'due_date' | 'completion'; due_date: string; today: string }

/** Whether the text is an accepted RFC 5545 RRULE value that at least one day can satisfy. */
export function isRecurrenceRule(text: string): boolean {
  const rule = parseRecurrenceRule(text)
  if (!rule) return false
  const until =
    rule.until && rule.until < SATISFIABLE_RANGE.last ? rule.until : SATISFIABLE_RANGE.last
  return (
    firstOccurrence(
      { ...rule, interval: 1, until },
      SATISFIABLE_RANGE.first,
      SATISFIABLE_RANGE.first,
    ) !== undefined
  )
}

/**
 * The next due date of a valid rule: if the rule starts at the due date, the first day after it
 * that is not before today; if it starts today, the first day after today. Undefined if the rule is
 * exhausted: COUNT was 1, or there is no day up to UNTIL or the year 9999.
 */
export function nextDueDate(
  text: string,
  { basis, due_date, today }: RecurrenceAnchor,
): string | undefined {
  const rule = parseRecurrenceRule(text)
  // COUNT is the number of tasks in the chain, including this one, and decreases with each. Days
  // that passed without a completion created no task and do not count.
  if (!rule || rule.count === 1) return
  if (basis === 'completion') return firstOccurrence(rule, today, addDays(today, 1))
  return firstOccurrence(rule, due_date, due_date < today ? today : addDays(due_date, 1))
}

/** The rule of the next task, with COUNT less one. Not for a COUNT of 1, which ends the chain. */
export const decrementCount = (text: string): string => addToCount(text, -1)

/** The rule before `decrementCount`. */
export const incrementCount = (text: string): string => addToCount(text, 1)

const addToCount = (text: string, by: number): string =>
  text.replace(/(?<=^|;)COUNT=(\d+)/, (_, count: string) => `COUNT=${Number(count) + by}`)

/**
 * In these years every date, including 29 February, falls on every weekday. A start on 1 January
 * makes the parts that default to the start date easiest to satisfy.
 */
const SATISFIABLE_RANGE = { first: '1970-01-01', last: '1998-01-31' }
