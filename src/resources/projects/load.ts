import { conflict, notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { projectById, projectToUse } from './store.ts'

/** The project, if the actor may see it. Loading is the authorisation: there is no other check. */
export async function loadProject(tx: ReadTx, id: string) {
  const project = await tx.one(projectToUse, { id })
  if (!project) throw notFound()
  return project
}

/** The same, as it is shown. */
export async function showProject(tx: ReadTx, id: string) {
  const project = await tx.one(projectById, { id })
  if (!project) throw notFound()
  return project
}

/** Stands in every operation that writes inside a project, after all 422 and before the change. */
export function refuseArchived({ archived_at }: { archived_at: string | null }): void {
  if (archived_at === null) return
  throw conflict(
    'project_archived',
    'The project is archived: unarchive it to change anything in it.',
  )
}
