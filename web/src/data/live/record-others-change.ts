import type { Task } from '#resources/tasks/fields.ts'
import type { ProjectIndexResult } from '../cache/project-index.ts'
import { queryClient } from '../cache/query-client.ts'
import { putTasks } from '../tasks/task-store.ts'
import { othersChanges, requestIndexRefetch } from './others-changes.ts'
import { isUserBusy, whenUserIdle } from './user-activity.ts'

/** Changes that wait because rows must not move while the person interacts. */
let waiting: (() => void)[] = []

/** A task before and after a change; `task` is undefined if it was deleted. */
export interface TaskTransition {
  id: string
  before: Task | undefined
  task: Task | undefined
  project_id: string
}

/** Records a change, so that lists that were fetched before place the task by its record. */
export function recordOthersChange(transition: TaskTransition): void {
  const at = Date.now()
  // Those that wait come first: a list looks at the earliest change of a task.
  if (!isUserBusy() && waiting.length === 0) {
    recordChange(transition, at)
    return
  }
  if (waiting.length === 0) whenUserIdle(recordWaiting)
  waiting.push(() => recordChange(transition, at))
}

function recordWaiting(): void {
  for (const record of waiting) record()
  waiting = []
  // Announces a change of the store, at which lists place their tasks.
  putTasks([])
}

function recordChange({ id, before, task, project_id }: TaskTransition, at: number): void {
  // A moved task leaves one project and comes to another one.
  const places = new Map(
    [before, task].flatMap((one) => (one ? [[one.project_id, one.number]] : [])),
  )
  for (const [project, number] of places) {
    const since = oldestActiveIndex(project)
    if (since === undefined) continue
    const key = `${project}#${number}`
    const steps = (othersChanges.get(key)?.steps ?? []).filter((one) => one.at >= since)
    const previousTask = before?.project_id === project ? before : undefined
    othersChanges.set(key, {
      id,
      number,
      project_id: project,
      steps: [...steps, { at, previousTask }],
    })
  }
  if (places.size === 0) requestIndexRefetch(['index', project_id])
  if (othersChanges.size > MAX_CHANGES) forgetOldChanges()
}

/** Lists look at each change whenever a task othersChanges. */
const MAX_CHANGES = 500

function forgetOldChanges(): void {
  const projects = new Set<string>()
  for (const [key, { project_id, steps }] of othersChanges) {
    const since = oldestActiveIndex(project_id) ?? Number.POSITIVE_INFINITY
    if (steps.some(({ at }) => at >= since)) projects.add(project_id)
    else othersChanges.delete(key)
  }
  if (othersChanges.size <= MAX_CHANGES) return
  for (const project_id of projects) requestIndexRefetch(['index', project_id])
}

/** Whether a list of a project is on the screen. */
export const isProjectShown = (project_id: string): boolean =>
  oldestActiveIndex(project_id) !== undefined

/** When the oldest index of a project that is on the screen was requested (ms). */
function oldestActiveIndex(project_id: string): number | undefined {
  const queries = queryClient
    .getQueryCache()
    .findAll({ queryKey: ['index', project_id], type: 'active' })
  if (queries.length === 0) return undefined
  return Math.min(
    ...queries.map(({ state }) => (state.data as ProjectIndexResult | undefined)?.requestedAt ?? 0),
  )
}
