import { fold } from '#lib/fold.ts'
import type { Status, StatusCategory } from './contract.ts'
import type { WantedStatus } from './internal.ts'

const LONGEST_KEY = 40

/** The colour of a status that names none. */
const COLORS: Record<StatusCategory, string> = {
  backlog: '#94a3b8',
  unstarted: '#64748b',
  started: '#f59e0b',
  completed: '#22c55e',
  canceled: '#9ca3af',
}

/**
 * The statuses asked for as they are kept. A key that is made is none that the project has: tasks of a
 * status that is removed in the same request must not fall to a new one of the same name.
 */
export function statusesOf(
  wanted: readonly WantedStatus[],
  present: readonly Status[] = [],
): Status[] {
  const taken = new Set([...wanted, ...present].map(({ key }) => key))
  return wanted.map(({ name, category, color = COLORS[category], ...given }, position) => {
    const key = given.key ?? freeKey(name, category, taken)
    taken.add(key)
    return { key, name, category, color, position }
  })
}

/** Those of the present statuses that are gone, or of another category. */
export const changedKeys = (present: readonly Status[], next: readonly Status[]): string[] =>
  present
    .filter(
      ({ key, category }) => !next.some((one) => one.key === key && one.category === category),
    )
    .map(({ key }) => key)

/** Made from the Latin letters and digits of the name, or the category; with a figure where it is taken. */
function freeKey(name: string, category: StatusCategory, taken: ReadonlySet<unknown>): string {
  const plain = fold(name.normalize('NFD').replace(/\p{M}/gu, ''))
  const parts = plain.split(/[^a-z0-9]/).filter((part) => part !== '')
  const words = parts.join('_')
  const stem = (/^[a-z]/.test(words) ? words : category).slice(0, LONGEST_KEY - 3)
  for (let figure = 1; ; figure++) {
    const key = figure === 1 ? stem : `${stem}_${figure}`
    if (!taken.has(key)) return key
  }
}
