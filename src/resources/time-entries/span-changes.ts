import { validationFailed } from '#core/api-error.ts'
import { computeTimerEnd } from '#db/tasks/timers.ts'
import { fieldError } from '#wire/field-error.ts'
import {
  runningSpan,
  spanBetween,
  spanOfDuration,
  type TimeSpan,
  type TimeSpanInput,
} from './span.ts'

/** The time fields of an update. None of them can be set to null. */
type TimeSpanChanges = { [K in keyof TimeSpanInput]: Exclude<TimeSpanInput[K], null> }

/**
 * Applies an update to the time of an entry (docs/spec/api.md#time-entry). Returns the given span if nothing
 * changes. `validateEntryChanges` has validated the combination of fields.
 */
export function applySpanChanges(span: TimeSpan, body: TimeSpanChanges, now: string): TimeSpan {
  const { started_at, ended_at, duration_seconds } = span
  if (duration_seconds === null && started_at !== null)
    return changeRunning(span, started_at, body, now)
  if (body.running === true) {
    throw validationFailed(
      fieldError('running', 'conflicting_fields', 'cannot be true for a finished entry'),
    )
  }
  return started_at === null || ended_at === null
    ? changeDuration(span, body, now)
    : changeTimes(span, started_at, ended_at, body, now)
}

/** A running timer goes on, or is stopped now or at a given time. */
function changeRunning(
  span: TimeSpan,
  start: string,
  body: TimeSpanChanges,
  now: string,
): TimeSpan {
  const { started_at = start, ended_at, duration_seconds, running } = body
  if (duration_seconds !== undefined) {
    const message =
      'cannot be set while the timer is running; stop it with `running: false` or `ended_at` first'
    throw validationFailed(fieldError('duration_seconds', 'conflicting_fields', message))
  }
  if (ended_at !== undefined) return spanBetween(started_at, ended_at, 'ended_at', now)
  const runningTimer = started_at === start ? span : runningSpan(started_at, now)
  return running === false ? { started_at, ...computeTimerEnd(started_at, now) } : runningTimer
}

/** An entry without times gets another duration, or both times at once. */
function changeDuration(span: TimeSpan, body: TimeSpanChanges, now: string): TimeSpan {
  const { started_at, ended_at, duration_seconds } = body
  if (started_at !== undefined && ended_at !== undefined) {
    return spanBetween(started_at, ended_at, 'ended_at', now)
  }
  if (started_at !== undefined || ended_at !== undefined) {
    const missing = started_at === undefined ? 'started_at' : 'ended_at'
    throw validationFailed(
      fieldError(missing, 'required', 'is required, because the entry has no start and end yet'),
    )
  }
  return duration_seconds === undefined ? span : { ...span, duration_seconds }
}

/** A finished entry with times: start and end can move, and a new duration moves the end. */
function changeTimes(
  span: TimeSpan,
  start: string,
  end: string,
  body: TimeSpanChanges,
  now: string,
): TimeSpan {
  const { started_at = start, ended_at = end, duration_seconds } = body
  if (duration_seconds !== undefined) {
    // The same duration is no change, even if the times differ from it by less than a second.
    return duration_seconds === span.duration_seconds
      ? span
      : spanOfDuration(start, duration_seconds, now)
  }
  if (started_at === start && ended_at === end) return span
  return spanBetween(started_at, ended_at, ended_at === end ? 'started_at' : 'ended_at', now)
}
