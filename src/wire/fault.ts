/** Codes of what can be wrong with a field (contract 2.2). */
export type FaultCode =
  | 'required'
  | 'unknown_field'
  | 'read_only_field'
  | 'invalid_type'
  | 'not_nullable'
  | 'invalid_value'
  | 'invalid_format'
  | 'invalid_characters'
  | 'too_short'
  | 'too_long'
  | 'too_small'
  | 'too_large'
  | 'too_few'
  | 'too_many'
  | 'duplicate'
  | 'conflicting_fields'
  | 'invalid_range'
  | 'invalid_reference'
  | 'not_a_member'
  | 'not_in_project'
  | 'cycle'
  | 'too_deep'
  | 'url_not_allowed'

/** One detail of an error. `field` is a path such as `assignee_ids[2]`, or `''` for the whole body. */
export interface Fault {
  field: string
  /** A FaultCode, or at a conflict the code of the error itself. */
  code: string
  message: string
  /** The record that stands in the way, where the caller may see it. */
  resource_id?: string
}

/** A fault of a field. `why` follows the field's name: "must be a date". */
export const fault = (field: string, code: FaultCode, why: string): Fault => ({
  field,
  code,
  message: `${field || 'The body'} ${why}.`,
})
