import { type FieldError, fieldError } from '#wire/field-error.ts'

const OPEN_CATEGORIES: readonly unknown[] = ['backlog', 'unstarted', 'started']

/**
 * Validates a list of statuses as a whole (docs/spec/api.md#project); the entries may still be of any type.
 * Keys must differ, positions must match the array, and there must be an open and a completed
 * status.
 */
export function validateStatuses(values: readonly unknown[]): FieldError[] {
  const statuses = values.map((one) => Object(one) as Record<string, unknown>)
  const errors: FieldError[] = []
  const keys = new Set<unknown>()
  for (const [index, { key, position }] of statuses.entries()) {
    if (typeof key === 'string' && keys.has(key)) {
      errors.push(
        fieldError(`statuses[${index}].key`, 'duplicate', 'is already the key of another status'),
      )
    }
    keys.add(key)
    if (Number.isInteger(position) && position !== index) {
      const message = `must be ${index}, the index of the status in the array`
      errors.push(fieldError(`statuses[${index}].position`, 'invalid_value', message))
    }
  }
  const someCategory = (fits: (category: unknown) => boolean) =>
    statuses.some(({ category }) => fits(category))
  if (statuses.length > 0 && !someCategory((category) => category === 'completed')) {
    const message = 'must contain a status of the category completed'
    errors.push(fieldError('statuses', 'invalid_value', message))
  }
  if (statuses.length > 0 && !someCategory((category) => OPEN_CATEGORIES.includes(category))) {
    const message = 'must contain a status of the category backlog, unstarted or started'
    errors.push(fieldError('statuses', 'invalid_value', message))
  }
  return errors
}
