import type { Status, StatusCategory } from '#resources/projects/contract.ts'

/** A status while it is edited: a new one has no key yet, and an id of the page alone. */
export interface Draft {
  id: string
  key: string | undefined
  name: string
  category: StatusCategory
  color: string | undefined
}

export const CATEGORIES = [
  'backlog',
  'unstarted',
  'started',
  'completed',
  'canceled',
] as const satisfies readonly StatusCategory[]

const OPEN: readonly StatusCategory[] = ['backlog', 'unstarted', 'started']

export const draftsOf = (statuses: readonly Status[]): Draft[] =>
  statuses.map(({ key, name, category, color }) => ({ id: key, key, name, category, color }))

/** As the API takes them: a key and a colour are made for new ones. */
export const sentOf = (drafts: readonly Draft[]) =>
  drafts.map(({ key, name, category, color }) => ({
    name: name.trim(),
    category,
    ...(key !== undefined && { key }),
    ...(color !== undefined && { color }),
  }))

/** Moves one to another place; places outside stay where they are. */
export function moved(drafts: readonly Draft[], from: number, to: number): Draft[] {
  const one = drafts[from]
  if (!one || to < 0 || to >= drafts.length) return [...drafts]
  return drafts.toSpliced(from, 1).toSpliced(to, 0, one)
}

/** Whether tasks could begin and be completed (contract 6.1). */
export const isWhole = (drafts: readonly Draft[]): boolean =>
  drafts.some(({ category }) => category === 'completed') &&
  drafts.some(({ category }) => OPEN.includes(category))

/** Whether anything differs from what the project has. */
export const isChanged = (drafts: readonly Draft[], statuses: readonly Status[]): boolean =>
  JSON.stringify(sentOf(drafts)) !== JSON.stringify(sentOf(draftsOf(statuses)))
