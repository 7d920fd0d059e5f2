import { foldCase } from '#lib/fold-case.ts'
import type { Status, StatusCategory } from './contract.ts'
import type { StatusInput } from './internal.ts'

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
