import { foldAccents } from '#lib/fold-case.ts'
import type { Project } from '#resources/projects/contract.ts'
import { compareDays } from '../../lib/dates/plain-date.ts'

export const PROJECT_SORTS = ['name', 'target', 'progress'] as const
export type ProjectSort = (typeof PROJECT_SORTS)[number]

interface ProjectFilter {
  show: 'active' | 'archived'
  sort: ProjectSort
  /** Words to find in the prefix or the name. */
  q: string
}

type SortableProject = Pick<Project, 'name' | 'prefix' | 'status' | 'target_date' | 'task_counts'>

/** Filters and sorts projects; ties are sorted by name. */
export function filterProjects<P extends SortableProject>(
  projects: readonly P[],
  { show, sort, q }: ProjectFilter,
): P[] {
  const words = foldAccents(q).split(/\s+/).filter(Boolean)
  const matches = ({ name, prefix }: P) => {
    const text = foldAccents(`${prefix} ${name}`)
    return words.every((word) => text.includes(word))
  }
  const byName = (a: P, b: P) => a.name.localeCompare(b.name)
  return projects
    .filter((project) => project.status === show && matches(project))
    .toSorted((a, b) => COMPARATORS[sort](a, b) || byName(a, b))
}

const COMPARATORS: Record<ProjectSort, (a: SortableProject, b: SortableProject) => number> = {
  name: () => 0,
  target: (a, b) => compareDays(a.target_date, b.target_date),
  progress: (a, b) => getCompletedShare(b) - getCompletedShare(a),
}

/** The completed share of a project's tasks, from 0 to 1. Canceled tasks do not count. */
export function getCompletedShare({
  task_counts: { total, completed, canceled },
}: Pick<Project, 'task_counts'>) {
  const relevant = total - canceled
  return relevant === 0 ? 0 : completed / relevant
}
