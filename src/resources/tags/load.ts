import { may } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { loadProject } from '#resources/projects/load.ts'
import { tagById } from './store.ts'

/** The tag, if the actor sees its project. */
export async function loadTag(tx: ReadTx, id: string) {
  const tag = await tx.one(tagById, { id })
  if (!tag) throw notFound()
  return tag
}

/** The tag, for those who may change it: everybody but guests. */
export async function loadTagToWrite(tx: ReadTx, id: string) {
  const tag = await loadTag(tx, id)
  assertNotGuest(tx)
  return tag
}

/** The project, for those who may create tags in it: everybody but guests. */
export async function loadProjectToTag(tx: ReadTx, id: string) {
  const project = await loadProject(tx, id)
  assertNotGuest(tx)
  return project
}

function assertNotGuest({ actor }: ReadTx): void {
  if (!may(actor, 'shape_projects')) throw insufficientRole('Guests cannot change tags.')
}
