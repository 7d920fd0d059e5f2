import { insufficientRole, notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { loadProject } from '#resources/projects/load.ts'
import { tagById } from './store.ts'

/** The tag, if the actor sees its project. */
export async function loadTag(tx: ReadTx, id: string) {
  const tag = await tx.one(tagById, { id })
  if (!tag) throw notFound()
  return tag
}

/** The same for a change: guests change no tags. */
export async function loadTagToWrite(tx: ReadTx, id: string) {
  const tag = await loadTag(tx, id)
  refuseGuest(tx)
  return tag
}

/** The project, for one who may make tags in it. */
export async function loadProjectToTag(tx: ReadTx, id: string) {
  const project = await loadProject(tx, id)
  refuseGuest(tx)
  return project
}

function refuseGuest({ actor }: ReadTx): void {
  if (actor.role === 'guest') throw insufficientRole('Guests cannot change tags.')
}
