import type { Task } from '../../../data/tasks/task-patch.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'

/** The value of a custom field. */
export type CustomFieldValues = NonNullable<Task['custom_fields']>
export type CustomFieldValue = CustomFieldValues[string]

/** Formats the value of a custom field for display and editing; lists are comma-separated. */
export const formatCustomValue = (value: CustomFieldValue): string =>
  typeof value === 'boolean'
    ? value
      ? taskDetailMessages.yes
      : taskDetailMessages.no
    : Array.isArray(value)
      ? value.join(', ')
      : String(value)

/**
 * Parses a typed value with the type of the previous value if possible. The type of a new value
 * follows from the text: a number, yes or no, otherwise text.
 */
export function parseCustomValue(typed: string, previous?: CustomFieldValue): CustomFieldValue {
  const text = typed.trim()
  if (Array.isArray(previous)) return parseList(text)
  const number = Number(text)
  const isNumber = text !== '' && Number.isFinite(number) && String(number) === text
  if (typeof previous === 'string') return typed
  if (isNumber) return number
  if (previous === undefined && /^(true|yes)$/i.test(text)) return true
  if (previous === undefined && /^(false|no)$/i.test(text)) return false
  return typed
}

const parseList = (text: string): string[] =>
  text === '' ? [] : text.split(',').map((part) => part.trim())
