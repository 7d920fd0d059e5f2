import type { Project } from '#resources/projects/contract.ts'
import type { listTasks } from '#resources/tasks/contract.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { queryTasks } from '../../../data/tasks/task-replica.ts'
import { getCachedTasks } from '../../../data/tasks/task-store.ts'
import { requestEndpointForResult } from '../../../lib/http/request-endpoint.ts'
import { StatusGlyph } from '../../../ui/marks/status-mark.tsx'
import { getStatusMark } from '../../../ui/marks/status-mark-name.ts'
import type { PickerOption } from '../../../ui/overlays/picker-button.tsx'

const MAX_RESULTS = 20

interface TaskOptionScope {
  projects: readonly Project[]
  /** Restricts the tasks to one project, because a parent must be in the same one. */
  project_id?: string
  /** Ids of tasks to leave out. */
  without: readonly string[]
}

/** Converts a task to an option of a picker. */
export function toTaskOption(task: Task, projects: readonly Project[]): PickerOption {
  const statuses = projects.find(({ id }) => id === task.project_id)?.statuses
  const mark = getStatusMark(statuses, task.status, task.status_category)
  return {
    id: task.id,
    label: task.title,
    hint: task.short_id,
    words: task.short_id,
    mark: (
      <span className="st" data-s={mark}>
        <StatusGlyph mark={mark} />
      </span>
    ),
  }
}

/** Lists tasks of the local store, which a picker offers before anything is typed. */
export const listCachedTaskOptions = ({
  projects,
  project_id,
  without,
}: TaskOptionScope): PickerOption[] =>
  getCachedTasks()
    .filter((task) => isInScope(task, project_id, without))
    .slice(0, MAX_RESULTS)
    .map((task) => toTaskOption(task, projects))

/** Creates a picker's search for tasks by words or short id. */
export const createTaskSearch =
  ({ projects, project_id, without }: TaskOptionScope) =>
  async (typed: string, signal: AbortSignal): Promise<PickerOption[]> => {
    const q = typed.trim()
    if (q === '') return []
    const query = {
      q,
      limit: MAX_RESULTS,
      ...(project_id !== undefined && { project_id: [project_id] }),
    }
    const page = await queryTasks(
      () => requestEndpointForResult<typeof listTasks>('GET /api/v1/tasks', { query }, { signal }),
      ({ data }) => data,
    )
    return page.data
      .filter((task) => isInScope(task, project_id, without))
      .map((task) => toTaskOption(task, projects))
  }

const isInScope = (
  task: Task,
  project_id: string | undefined,
  without: readonly string[],
): boolean =>
  !without.includes(task.id) && (project_id === undefined || task.project_id === project_id)
