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
