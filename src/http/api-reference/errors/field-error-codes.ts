import type { FieldErrorCode } from '#wire/field-error.ts'

/** The codes in `details` of a 422: what is wrong with a field and how to correct it. */
export const FIELD_ERROR_CODES: Readonly<
  Record<FieldErrorCode, readonly [meaning: string, remedy: string]>
> = {
  required: ['The field is missing.', 'Send the field that `field` names.'],
  unknown_field: [
    'The operation does not accept a field with this name.',
    'The message lists the accepted fields. Check the spelling.',
  ],
  read_only_field: ['The field exists, but this operation cannot set it.', 'Leave it out.'],
  invalid_type: [
    'The value has the wrong JSON type, such as `"5"` for a number.',
    'Send the type that the reference names. Values are never converted.',
  ],
  not_nullable: ['The field cannot be null.', 'Send a value, or leave the field out.'],
  invalid_value: [
    'The value is not allowed.',
    'Use a value that the message or the reference lists.',
  ],
  invalid_format: [
    'The text does not have the expected format, such as a date or a color.',
    'Compare it with the example in the message. Timestamps need `Z` or an offset.',
  ],
  invalid_characters: [
    'The text contains characters that are not allowed, such as control characters or unpaired surrogates.',
    'Remove them. Line breaks are allowed only in longer texts.',
  ],
  too_short: ['The text is too short, or contains only whitespace.', 'Send more characters.'],
  too_long: [
    'The text has too many characters, counted in Unicode code points.',
    'Shorten it to the length in the message.',
  ],
  too_small: ['The number is below its minimum, or the file is empty.', 'Send a larger one.'],
  too_large: [
    'The number is above its maximum, or the time span or the object as JSON is too large.',
    'Send a smaller one.',
  ],
  too_few: ['The list has too few entries.', 'Send more entries.'],
  too_many: ['The list or object has too many entries.', 'Send fewer entries.'],
  duplicate: ['The list contains an entry twice.', 'Send each entry once.'],
  conflicting_fields: [
    'Some fields of the body cannot be combined, or one requires another.',
    'The message names them.',
  ],
  invalid_range: ['The end is before the start.', 'Correct one of the two.'],
  invalid_reference: [
    'The id is malformed, unknown, of another workspace, or you do not have access to the record.',
    'Check the id, and the workspace of your key.',
  ],
  not_a_member: [
    'The person is not an active member with access to the project.',
    'Choose another member, or add the person to the project.',
  ],
  not_in_project: [
    'The record belongs to a different project than the task.',
    'Choose a record of the same project.',
  ],
  cycle: [
    'The task would become its own parent, or would block itself.',
    'Choose another task. Deleted tasks count too.',
  ],
  too_deep: ['The record would be nested too deeply.', 'Choose a record on a higher level.'],
  url_not_allowed: [
    'Docket does not send webhooks to this address, because it is not on the public internet.',
    'Use a public `https` address. Your operator can allow other networks.',
  ],
}
