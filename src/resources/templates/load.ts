import { insufficientRole, notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { templateById } from './store.ts'

export type FoundTemplate = Awaited<ReturnType<typeof loadTemplate>>

/** The template, if the actor sees its project. */
export async function loadTemplate(tx: ReadTx, id: string) {
  const template = await tx.one(templateById, { id })
  if (!template) throw notFound()
  return template
}

/** The same for a change: guests use templates, and change none. */
export async function loadTemplateToWrite(tx: ReadTx, id: string) {
  const template = await loadTemplate(tx, id)
  refuseGuest(tx)
  return template
}

/** Refuses guests, before anything of the body is looked at. */
export const noGuest = async (tx: ReadTx): Promise<undefined> => refuseGuest(tx)

function refuseGuest({ actor }: ReadTx): undefined {
  if (actor.role === 'guest') throw insufficientRole('Guests cannot change templates.')
}
