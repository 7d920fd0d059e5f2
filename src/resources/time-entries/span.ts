import { assertNoFieldErrors } from '#core/api-error.ts'
import { MAX_TIME_ENTRY_MS } from '#db/tasks/timers.ts'
import { addMs, msBetween } from '#lib/days.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'

/**
 * The time of an entry: a duration alone; a duration with start and end; or a running timer, which
 * has only a start.
 */
export interface TimeSpan {
  started_at: string | null
  ended_at: string | null
  duration_seconds: number | null
}

/** The time fields of a body. */
export interface TimeSpanInput {
  started_at?: string | null
  ended_at?: string | null
  duration_seconds?: number | null
  running?: boolean
}

/** How far a time may be in the future, because clocks differ. */
const MAX_AHEAD_MS = 5 * 60 * 1000

/** The span of a new entry. `validateNewEntry` has validated the combination (docs/spec/api.md#time-entry). */
export function createSpan(body: TimeSpanInput, now: string): TimeSpan {
  const { ended_at = null, duration_seconds = null } = body
  const started_at = body.started_at ?? (body.running ? now : null)
  if (started_at === null) return { started_at, ended_at, duration_seconds }
  if (ended_at !== null) return spanBetween(started_at, ended_at, 'ended_at', now)
  if (duration_seconds !== null) return spanOfDuration(started_at, duration_seconds, now)
  return runningSpan(started_at, now)
}

/** A running timer. It must have started within a day, because longer timers are stopped. */
export function runningSpan(started_at: string, now: string): TimeSpan {
  const errors = validateNotAhead(now, 'started_at', started_at)
  if (msBetween(started_at, now) > MAX_TIME_ENTRY_MS) {
    const message = 'must be at most 24 hours ago for a running timer'
    errors.push(fieldError('started_at', 'too_small', message))
  }
  assertNoFieldErrors(errors)
  return { started_at, ended_at: null, duration_seconds: null }
}

/** The span between two times. `errorField` is the field of the error if they do not fit. */
export function spanBetween(
  started_at: string,
  ended_at: string,
  errorField: 'started_at' | 'ended_at',
  now: string,
): TimeSpan {
  const errors = [
    ...validateNotAhead(now, 'started_at', started_at),
    ...validateNotAhead(now, 'ended_at', ended_at),
    ...validateOrder(started_at, ended_at, errorField),
  ]
  assertNoFieldErrors(errors)
  const seconds = Math.floor(msBetween(started_at, ended_at) / 1000)
  return { started_at, ended_at, duration_seconds: Math.max(seconds, 1) }
}

/** The span of a duration from a start. Its end must not be in the future either. */
export function spanOfDuration(
  started_at: string,
  duration_seconds: number,
  now: string,
): TimeSpan {
  assertNoFieldErrors(validateNotAhead(now, 'started_at', started_at))
  const ended_at = addMs(started_at, duration_seconds * 1000)
  assertNoFieldErrors(validateNotAhead(now, 'duration_seconds', ended_at))
  return { started_at, ended_at, duration_seconds }
}

function validateOrder(started_at: string, ended_at: string, errorField: string): FieldError[] {
  const ms = msBetween(started_at, ended_at)
  if (ms <= 0) {
    const why =
      errorField === 'ended_at' ? 'must be after `started_at`' : 'must be before `ended_at`'
    return [fieldError(errorField, 'invalid_range', why)]
  }
  if (ms > MAX_TIME_ENTRY_MS)
    return [fieldError(errorField, 'too_large', 'must make the entry at most 24 hours long')]
  return []
}

function validateNotAhead(now: string, field: string, time: string): FieldError[] {
  if (msBetween(now, time) <= MAX_AHEAD_MS) return []
  const message =
    field === 'duration_seconds'
      ? 'must not end more than 5 minutes in the future'
      : 'must be at most 5 minutes in the future'
  return [fieldError(field, 'too_large', message)]
}
