import { assertNoFieldErrors, validationFailed } from '#core/api-error.ts'
import { computeTimerEnd, MAX_TIME_ENTRY_MS } from '#db/tasks/timers.ts'
import { addMs, msBetween } from '#lib/days.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'

/** A body before its fields have been validated. Only their presence is checked here. */
type UncheckedTimeEntry = Readonly<Record<string, unknown>>

const isSet = (body: UncheckedTimeEntry, name: string) =>
  Object.hasOwn(body, name) && body[name] !== null && body[name] !== undefined

/**
 * Validates the fields of a new entry (docs/spec/api.md#time-entry): `duration_seconds`; or `started_at` with
 * `duration_seconds` or `ended_at`; or, for a timer, `running: true`, `started_at`, or both.
 */
export function validateNewEntry(body: UncheckedTimeEntry): FieldError[] {
  const [start, end, duration] = FIELDS.map((name) => isSet(body, name))
  const running = Object.hasOwn(body, 'running')
  const errors: FieldError[] = []
  const conflict = (field: string, message: string) =>
    errors.push(fieldError(field, 'conflicting_fields', message))
  if (body.running === false) conflict('running', 'must be true for a new entry')
  if (body.running === true && (end || duration)) {
    conflict('running', 'cannot be combined with `ended_at` or `duration_seconds`')
  }
  if (end && duration) conflict('duration_seconds', 'cannot be combined with `ended_at`')
  if (end && !start) conflict('ended_at', 'requires `started_at`')
  if (!start && !end && !duration && !running) {
    const message = 'is required, unless you send `started_at` or `running: true`'
    errors.push(fieldError('duration_seconds', 'required', message))
  }
  return errors
}

/** Rejects combinations that no update can have, whether or not the timer is running. */
export function validateEntryChanges(body: UncheckedTimeEntry): FieldError[] {
  const [start, end, duration] = FIELDS.map((name) => isSet(body, name))
  const errors: FieldError[] = []
  if (duration && (start || end)) {
    const message = 'cannot be combined with `started_at` or `ended_at`'
    errors.push(fieldError('duration_seconds', 'conflicting_fields', message))
  }
  if (end && body.running === true) {
    errors.push(
      fieldError('running', 'conflicting_fields', 'cannot be true together with `ended_at`'),
    )
  }
  return errors
}

const FIELDS = ['started_at', 'ended_at', 'duration_seconds'] as const

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
function runningSpan(started_at: string, now: string): TimeSpan {
  const errors = validateNotAhead(now, 'started_at', started_at)
  if (msBetween(started_at, now) > MAX_TIME_ENTRY_MS) {
    const message = 'must be at most 24 hours ago for a running timer'
    errors.push(fieldError('started_at', 'too_small', message))
  }
  assertNoFieldErrors(errors)
  return { started_at, ended_at: null, duration_seconds: null }
}

/** The span between two times. `errorField` is the field of the error if they do not fit. */
function spanBetween(
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
function spanOfDuration(started_at: string, duration_seconds: number, now: string): TimeSpan {
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
