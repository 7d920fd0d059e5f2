/** The codes of invalid fields (docs/spec/api.md#types-and-codes). */
export const FIELD_ERROR_CODES = [
  'required',
  'unknown_field',
  'read_only_field',
  'invalid_type',
  'not_nullable',
  'invalid_value',
  'invalid_format',
  'invalid_characters',
  'too_short',
  'too_long',
  'too_small',
  'too_large',
  'too_few',
  'too_many',
  'duplicate',
  'conflicting_fields',
  'invalid_range',
  'invalid_reference',
  'not_a_member',
  'not_in_project',
  'cycle',
  'too_deep',
  'url_not_allowed',
] as const

export type FieldErrorCode = (typeof FIELD_ERROR_CODES)[number]

/**
 * One entry in the `details` of an error. `field` is a path such as `assignee_ids[2]`, or `''` for
 * the body.
 */
export interface FieldError {
  field: string
  /** A code of an invalid field, or the code of the error itself, for example for conflicts. */
  code: string
  message: string
  /** The conflicting record, if the caller may see it. */
  resource_id?: string
}

/** Where a request carries a field; messages name it. */
type FieldLocation = 'body' | 'query' | 'header'

const LOCATION_NAMES = { query: 'The query parameter', header: 'The header' } as const

/** Names a field at the start of a message: "`title`", "The query parameter `limit`". */
export function describeField(field: string, location: FieldLocation = 'body'): string {
  if (location === 'body') return field === '' ? 'The body' : `\`${field}\``
  return `${LOCATION_NAMES[location]} \`${field}\``
}

/** The error of a field. `why` completes the sentence after its name: "must be a date". */
export const fieldError = (
  field: string,
  code: FieldErrorCode,
  why: string,
  location: FieldLocation = 'body',
): FieldError => ({ field, code, message: `${describeField(field, location)} ${why}.` })

/** The same error under the path of an enclosing object or list, which its message names too. */
export function nestFieldError<E extends FieldError>(error: E, field: string): E {
  return { ...error, field, message: replaceSubject(error, describeField(field)) }
}

/**
 * An error that the schema parser found in a query parameter. If it has several values, the message counts
 * them from 1, because they have no path of their own.
 */
export function toQueryError(error: FieldError, name: string, valueCount: number): FieldError {
  const parameter = describeField(name, 'query')
  const [, index] = /^\[(\d+)\]/.exec(error.field) ?? []
  const subject =
    index === undefined || valueCount === 1
      ? parameter
      : `Value ${Number(index) + 1} of the query parameter \`${name}\``
  return { ...error, field: name, message: replaceSubject(error, subject) }
}

/** Messages that do not begin with their field, such as those of conflicts, stay as they are. */
function replaceSubject({ field, message }: FieldError, subject: string): string {
  const present = `${describeField(field)} `
  return message.startsWith(present) ? `${subject} ${message.slice(present.length)}` : message
}
