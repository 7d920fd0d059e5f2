import { addDays } from './days.ts'
import { ruleFrom } from './rule.ts'
import { firstDayOf } from './rule-days.ts'

/** The days that a next one is reckoned from; `basis` says which of the two begins the rule. */
export type Reckoning = { basis: 'due_date' | 'completion'; due_date: string; today: string }

/** Is this an RFC 5545 RRULE value as the contract takes it, which at least one day can satisfy? */
export function isRule(text: string): boolean {
  const rule = ruleFrom(text)
  if (!rule) return false
  const until = rule.until && rule.until < ENOUGH.last ? rule.until : ENOUGH.last
  return firstDayOf({ ...rule, interval: 1, until }, ENOUGH.first, ENOUGH.first) !== undefined
}

/**
 * The next due day of a rule (one that isRule takes): of the rule started at the due date, the
 * first after it and not before today; or of the rule started today, the first after today.
 * Undefined when it is exhausted: COUNT was 1, or there is no day up to UNTIL or the year 9999.
 */
export function nextDay(text: string, { basis, due_date, today }: Reckoning): string | undefined {
  const rule = ruleFrom(text)
  // COUNT counts the tasks of the chain, this one included, and goes down by one with each
  // (withCountReduced). Days that passed without a completion made no task and use up none of it.
  if (!rule || rule.count === 1) return
  if (basis === 'completion') return firstDayOf(rule, today, addDays(today, 1))
  return firstDayOf(rule, due_date, due_date < today ? today : addDays(due_date, 1))
}

/** The rule for the next task: COUNT less one. Not for a COUNT of 1, after which nothing comes. */
export const withCountReduced = (text: string): string =>
  text.replace(/(?<=^|;)COUNT=(\d+)/, (_, count: string) => `COUNT=${Number(count) - 1}`)

/**
 * In these years every date falls on every weekday, leap years included. To begin on the first of
 * a year makes the parts that are taken from the start the easiest to satisfy.
 */
const ENOUGH = { first: '1970-01-01', last: '1998-01-31' }
