import { may } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { templateById } from './store.ts'

export type LoadedTemplate = Awaited<ReturnType<typeof loadTemplate>>

/** The template, if the actor sees its project. */
export async function loadTemplate(tx: ReadTx, id: string) {
  const template = await tx.one(templateById, { id })
  if (!template) throw notFound()
  return template
}

/** The template, for those who may change it: guests can only use templates. */
export async function loadTemplateToWrite(tx: ReadTx, id: string) {
  const template = await loadTemplate(tx, id)
  assertNotGuest(tx)
  return template
}

/** 403 for guests, before the body is validated. */
export const assertCanWriteTemplates = async (tx: ReadTx): Promise<undefined> => assertNotGuest(tx)

function assertNotGuest({ actor }: ReadTx): undefined {
  if (!may(actor, 'shape_projects')) throw insufficientRole('Guests cannot change templates.')
}
