import type { Project } from '#resources/projects/contract.ts'
import { compare } from '../../lib/compare.ts'
import { compareDays } from '../../lib/day.ts'
import { folded } from '../../ui/options.ts'

export const SORTS = ['name', 'changed', 'target', 'progress'] as const
export type Sort = (typeof SORTS)[number]

interface Wanted {
  show: 'active' | 'archived'
  sort: Sort
  /** Words of the name, or the beginning of the prefix. */
  q: string
}

type Listed = Pick<
  Project,
  'name' | 'prefix' | 'status' | 'updated_at' | 'target_date' | 'task_counts'
>

/** The projects that are asked for, in their order; ties by name. */
export function listed<P extends Listed>(projects: readonly P[], { show, sort, q }: Wanted): P[] {
  const words = folded(q).split(/\s+/).filter(Boolean)
  const fits = ({ name, prefix }: P) => {
    const text = folded(`${prefix} ${name}`)
    return words.every((word) => text.includes(word))
  }
  const byName = (a: P, b: P) => a.name.localeCompare(b.name)
  return projects
    .filter((project) => project.status === show && fits(project))
    .toSorted((a, b) => ORDERS[sort](a, b) || byName(a, b))
}

const ORDERS: Record<Sort, (a: Listed, b: Listed) => number> = {
  name: () => 0,
  changed: (a, b) => compare(b.updated_at, a.updated_at),
  target: (a, b) => compareDays(a.target_date, b.target_date),
  progress: (a, b) => doneOf(b) - doneOf(a),
}

/** What share of a project's tasks is done, canceled ones left out: 0 to 1. */
export function doneOf({
  task_counts: { total, completed, canceled },
}: Pick<Project, 'task_counts'>) {
  const counted = total - canceled
  return counted === 0 ? 0 : completed / counted
}
