import type { Task } from '../../data/task-view.ts'
import { m } from '../../messages/task.ts'

type Value = Task['custom_fields'][string]

/** The value of a custom field as it is shown and typed: the parts of a list stand between commas. */
export const shownValue = (value: Value): string =>
  typeof value === 'boolean'
    ? value
      ? m.yes
      : m.no
    : Array.isArray(value)
      ? value.join(', ')
      : String(value)

/**
 * What was typed as a value of the same kind as before, if it can be one. Of a new one the kind shows in the text:
 * a number, yes or no, else text.
 */
export function typedValue(typed: string, before?: Value): Value {
  const text = typed.trim()
  if (Array.isArray(before)) return listFrom(text)
  const number = Number(text)
  const isNumber = text !== '' && Number.isFinite(number) && String(number) === text
  if (typeof before === 'string') return typed
  if (isNumber) return number
  if (before === undefined && /^(true|yes)$/i.test(text)) return true
  if (before === undefined && /^(false|no)$/i.test(text)) return false
  return typed
}

const listFrom = (text: string): string[] =>
  text === '' ? [] : text.split(',').map((part) => part.trim())
