import { foldCase } from '#lib/fold-case.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import type { Status, StatusCategory } from './contract.ts'
import type { StatusInput } from './internal.ts'

/** The statuses of a new project (docs/spec/api.md#project). */
export const DEFAULT_STATUSES: readonly Status[] = [
  { key: 'backlog', name: 'Backlog', category: 'backlog', color: '#94a3b8', position: 0 },
  { key: 'todo', name: 'To do', category: 'unstarted', color: '#64748b', position: 1 },
  { key: 'in_progress', name: 'In progress', category: 'started', color: '#f59e0b', position: 2 },
  { key: 'in_review', name: 'In review', category: 'started', color: '#8b5cf6', position: 3 },
  { key: 'done', name: 'Done', category: 'completed', color: '#22c55e', position: 4 },
  { key: 'canceled', name: 'Canceled', category: 'canceled', color: '#9ca3af', position: 5 },
]

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

const MAX_KEY_LENGTH = 40

/** The color of a status, by category, if the request has none. */
const DEFAULT_COLORS: Record<StatusCategory, string> = {
  backlog: '#94a3b8',
  unstarted: '#64748b',
  started: '#f59e0b',
  completed: '#22c55e',
  canceled: '#9ca3af',
}

/**
 * The statuses to store. A generated key never reuses a present one: tasks of a status that the
 * same request removes must not move to a new status of the same name.
 */
export function buildStatuses(
  inputs: readonly StatusInput[],
  present: readonly Status[] = [],
): Status[] {
  const taken = new Set([...inputs, ...present].map(({ key }) => key))
  return inputs.map(({ name, category, color = DEFAULT_COLORS[category], ...input }, position) => {
    const key = input.key ?? freeKey(name, category, taken)
    taken.add(key)
    return { key, name, category, color, position }
  })
}

/** The keys of present statuses that are removed or change their category. */
export const changedStatusKeys = (present: readonly Status[], next: readonly Status[]): string[] =>
  present
    .filter(
      ({ key, category }) => !next.some((one) => one.key === key && one.category === category),
    )
    .map(({ key }) => key)

/** Latin letters and digits of the name, or the category, with a number if that key is taken. */
function freeKey(name: string, category: StatusCategory, taken: ReadonlySet<unknown>): string {
  const plain = foldCase(name.normalize('NFD').replace(/\p{M}/gu, ''))
  const parts = plain.split(/[^a-z0-9]/).filter((part) => part !== '')
  const words = parts.join('_')
  const stem = (/^[a-z]/.test(words) ? words : category).slice(0, MAX_KEY_LENGTH - 3)
  for (let suffix = 1; ; suffix++) {
    const key = suffix === 1 ? stem : `${stem}_${suffix}`
    if (!taken.has(key)) return key
  }
}
