import type { ReadTx } from '#core/tx.ts'
import type { Status } from '#resources/projects/contract.ts'
import { projectToUse } from '#resources/projects/store.ts'
import type { Setting } from './core.ts'

/** The project that a task comes into, if the actor sees it. */
export async function settingOf(tx: ReadTx, project_id: string): Promise<Setting | undefined> {
  const project = await tx.one(projectToUse, { id: project_id })
  return project && { ...project, project_id, statuses: statusesIn(project.statuses) }
}

/** Projects come back at every write, and most have the same statuses. */
const MOST_KNOWN = 100
const known = new Map<string, readonly Status[]>()

/** The statuses of a project, from the text of its column. */
export function statusesIn(text: string): readonly Status[] {
  let statuses = known.get(text)
  if (!statuses) {
    if (known.size >= MOST_KNOWN) known.clear()
    statuses = JSON.parse(text) as Status[]
    known.set(text, statuses)
  }
  return statuses
}
