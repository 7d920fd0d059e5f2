import type { FaultCode } from '#wire/fault.ts'

/** The codes within `details` of a 422: what is wrong with one field, and what would be right. */
export const DETAILS: Readonly<Record<FaultCode, readonly [meaning: string, remedy: string]>> = {
  required: ['The field is missing.', 'Send the field that `field` names.'],
  unknown_field: [
    'The operation takes no field of that name.',
    'The message lists the fields that it takes. Look for a misspelling.',
  ],
  read_only_field: ['The field exists, but this operation cannot write it.', 'Leave it out.'],
  invalid_type: [
    'The value has the wrong JSON type, such as `"5"` for a number.',
    'Send the type that the reference names. Nothing is converted.',
  ],
  not_nullable: ['The field cannot be null.', 'Send a value, or leave the field out.'],
  invalid_value: ['The value is not among those allowed.', 'Use one that the reference lists.'],
  invalid_format: [
    'The text does not have the form asked for, such as a date or a colour.',
    'Compare it with the form in the reference. Timestamps need `Z` or an offset.',
  ],
  invalid_characters: [
    'The text holds characters that it may not, such as control characters or half of a pair.',
    'Remove them. Line breaks are allowed only in longer texts.',
  ],
  too_short: ['The text is too short, or only white space.', 'Send more characters.'],
  too_long: [
    'The text has too many characters, counted in Unicode code points.',
    'Shorten it to the length that the reference names.',
  ],
  too_small: ['The number is below its least value, or the file is empty.', 'Send a larger one.'],
  too_large: [
    'The number, the span of time or the object as JSON is larger than it may be.',
    'Send a smaller one.',
  ],
  too_few: ['The list has too few entries.', 'Send more.'],
  too_many: ['The list or object has too many entries.', 'Send fewer.'],
  duplicate: ['An entry of the list is there twice.', 'Send each entry once.'],
  conflicting_fields: [
    'Fields of the body do not go together.',
    'The message says which. Send one of them, or both where both are needed.',
  ],
  invalid_range: ['An end lies before its start.', 'Exchange or correct the two.'],
  invalid_reference: [
    'The id is malformed, unknown, of another workspace, or not yours to see.',
    'Check the id and the workspace of the key.',
  ],
  not_a_member: [
    'The person is not an active member who sees the project.',
    'Choose somebody who does, or have the person added.',
  ],
  not_in_project: [
    'The record belongs to another project than the task.',
    'Choose one of the same project.',
  ],
  cycle: [
    'The record would come to stand above, below or in the way of itself.',
    'Choose another. Deleted tasks count too.',
  ],
  too_deep: ['There would be more levels than there may be.', 'Choose a record higher up.'],
  url_not_allowed: [
    'Webhooks are not sent to this address: it is private, or not on the public network.',
    'Use a public `https` address. Who runs this installation can allow networks.',
  ],
}
