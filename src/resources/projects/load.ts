import { conflict, notFound } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { andThen } from '#lib/maybe-promise.ts'
import { projectColumnsById, projectColumnsByPrefix, projectRecordById } from './store.ts'

/** The project, if the actor sees it. Loading is the authorization; there is no other check. */
export const loadProject = (tx: ReadTx, id: string) =>
  andThen(tx.oneNow(projectColumnsById, { id }), orNotFound)

const PREFIX = /^[A-Z][A-Z0-9]{1,9}$/i

/** The prefix that a text is in any case, or `''`. Raised alone, ß would become SS. */
export const toPrefix = (text: string): string => (PREFIX.test(text) ? text.toUpperCase() : '')

/** A project by its id, or by its present or a former prefix in any case. */
export function loadProjectByIdOrPrefix(tx: ReadTx, name: string) {
  const prefix = toPrefix(name)
  return prefix === ''
    ? loadProject(tx, name)
    : andThen(tx.oneNow(projectColumnsByPrefix, { prefix }), orNotFound)
}

function orNotFound<P>(project: P | undefined): P {
  if (!project) throw notFound()
  return project
}

/** The record of a project, if the actor sees it. */
export async function loadProjectRecord(tx: ReadTx, id: string) {
  const project = await tx.one(projectRecordById, { id })
  if (!project) throw notFound()
  return project
}

/** Every operation that writes in a project calls this after all 422 checks, before the change. */
export function assertNotArchived({ archived_at }: { archived_at: string | null }): void {
  if (archived_at === null) return
  throw conflict('project_archived', 'The project is archived. Unarchive it to make changes.')
}
