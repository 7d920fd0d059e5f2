import type { ReadTx } from '#core/tx.ts'
import type { Status } from '#resources/projects/contract.ts'
import { projectToUse } from '#resources/projects/store.ts'
import type { Setting } from './core.ts'

/** The project that a task comes into, if the actor sees it. */
export async function settingOf(tx: ReadTx, project_id: string): Promise<Setting | undefined> {
  const project = await tx.one(projectToUse, { id: project_id })
  return project && { ...project, project_id, statuses: statusesIn(project.statuses) }
}

/** The statuses of a project, from the text of its column. */
export const statusesIn = (text: string): Status[] => JSON.parse(text) as Status[]
