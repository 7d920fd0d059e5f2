import type { Project } from '#resources/projects/contract.ts'
import type { listTasks } from '#resources/tasks/contract.ts'
import { allTasks, putTasks } from '../../data/task-store.ts'
import type { Task } from '../../data/task-view.ts'
import { call } from '../../lib/call.ts'
import type { Option } from '../../ui/pick.tsx'
import { stampOf } from '../../ui/stamp.ts'
import { Glyph } from '../../ui/status-mark.tsx'

const MOST = 20

interface Where {
  projects: readonly Project[]
  /** Only of one project: what can be a parent. */
  project_id?: string
  without: readonly string[]
}

/** A task as an option of a picker. */
export function taskOption(task: Task, projects: readonly Project[]): Option {
  const statuses = projects.find(({ id }) => id === task.project_id)?.statuses
  const mark = stampOf(statuses, task.status, task.status_category)
  return {
    id: task.id,
    label: task.title,
    hint: task.short_id,
    words: task.short_id,
    mark: (
      <span className="st" data-s={mark}>
        <Glyph mark={mark} />
      </span>
    ),
  }
}

/** Tasks that are known already: what a picker offers before anything is typed. */
export const knownOptions = ({ projects, project_id, without }: Where): Option[] =>
  allTasks()
    .filter((task) => fits(task, project_id, without))
    .slice(0, MOST)
    .map((task) => taskOption(task, projects))

/** Finds tasks by words or a short id, for a picker. */
export const taskSearch =
  ({ projects, project_id, without }: Where) =>
  async (typed: string, signal: AbortSignal): Promise<Option[]> => {
    const q = typed.trim()
    if (q === '') return []
    const query = { q, limit: MOST, ...(project_id !== undefined && { project_id: [project_id] }) }
    const page = await call<typeof listTasks>('GET /api/v1/tasks', { query }, { signal })
    putTasks(page.data)
    return page.data
      .filter((task) => fits(task, project_id, without))
      .map((task) => taskOption(task, projects))
  }

const fits = (task: Task, project_id: string | undefined, without: readonly string[]): boolean =>
  !without.includes(task.id) && (project_id === undefined || task.project_id === project_id)
