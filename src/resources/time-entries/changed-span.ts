import { invalid } from '#core/refusal.ts'
import { stopped } from '#storage/timers.ts'
import { fault } from '#wire/fault.ts'
import { between, lasting, type Span, type SpanFields, timer } from './span.ts'

/** What a body may change; none of it can be cleared. */
type Changes = { [K in keyof SpanFields]: Exclude<SpanFields[K], null> }

/**
 * What an update makes of the time of an entry (contract 6.4); the span itself where it changes
 * nothing. The fields stand together as `changedCombination` allows.
 */
export function changedSpan(span: Span, body: Changes, now: string): Span {
  const { started_at, ended_at, duration_seconds } = span
  if (duration_seconds === null && started_at !== null) return timing(span, started_at, body, now)
  if (body.running === true) {
    throw invalid(fault('running', 'conflicting_fields', 'cannot be true for a finished entry'))
  }
  return started_at === null || ended_at === null
    ? counted(span, body, now)
    : timed(span, started_at, ended_at, body, now)
}

/** A running timer goes on, is stopped at a time, or now. */
function timing(span: Span, start: string, body: Changes, now: string): Span {
  const { started_at = start, ended_at, duration_seconds, running } = body
  if (duration_seconds !== undefined) {
    const why = 'cannot be set while the timer runs; stop it by running: false or ended_at'
    throw invalid(fault('duration_seconds', 'conflicting_fields', why))
  }
  if (ended_at !== undefined) return between(started_at, ended_at, 'ended_at', now)
  const going = started_at === start ? span : timer(started_at, now)
  return running === false ? { started_at, ...stopped(started_at, now) } : going
}

/** Time that was only counted gets another duration, or both times at once. */
function counted(span: Span, body: Changes, now: string): Span {
  const { started_at, ended_at, duration_seconds } = body
  if (started_at !== undefined && ended_at !== undefined) {
    return between(started_at, ended_at, 'ended_at', now)
  }
  if (started_at !== undefined || ended_at !== undefined) {
    const missing = started_at === undefined ? 'started_at' : 'ended_at'
    throw invalid(fault(missing, 'required', 'is required where the entry has no times yet'))
  }
  return duration_seconds === undefined ? span : { ...span, duration_seconds }
}

/** Of finished time with times each of the three can move; a new duration moves the end. */
function timed(span: Span, start: string, end: string, body: Changes, now: string): Span {
  const { started_at = start, ended_at = end, duration_seconds } = body
  if (duration_seconds !== undefined) {
    // The same duration is no change, even where the times differ from it by less than a second.
    return duration_seconds === span.duration_seconds ? span : lasting(start, duration_seconds, now)
  }
  if (started_at === start && ended_at === end) return span
  return between(started_at, ended_at, ended_at === end ? 'started_at' : 'ended_at', now)
}
