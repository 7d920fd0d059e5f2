import type { ReadTx } from '#core/transaction.ts'
import type { Status } from '#resources/projects/contract.ts'
import { projectColumnsById } from '#resources/projects/store.ts'
import type { LoadedTask } from './load.ts'
import type { TaskProjectContext } from './writing/task-fields.ts'

/** The project of a task, if the actor sees it. */
export async function loadProjectContext(
  tx: ReadTx,
  project_id: string,
): Promise<TaskProjectContext | undefined> {
  const project = await tx.one(projectColumnsById, { id: project_id })
  return project && { ...project, project_id, statuses: parseStatuses(project.statuses) }
}

/** The project of a loaded task. */
export const projectContextOf = ({
  project_id,
  prefix,
  archived_at,
  statuses,
}: LoadedTask): TaskProjectContext => ({
  project_id,
  prefix,
  archived_at,
  statuses: parseStatuses(statuses),
})

/** Parsed statuses are cached: every write reads a project, and most have the same statuses. */
const MAX_CACHED = 100
const statusCache = new Map<string, readonly Status[]>()

/** Parses the `statuses` column of a project. */
export function parseStatuses(text: string): readonly Status[] {
  let statuses = statusCache.get(text)
  if (!statuses) {
    if (statusCache.size >= MAX_CACHED) statusCache.clear()
    statuses = JSON.parse(text) as Status[]
    statusCache.set(text, statuses)
  }
  return statuses
}
